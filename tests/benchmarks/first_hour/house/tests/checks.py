from datetime import date

from house.bill import total
from house.prices import breakfast_price
from house.stay import Stay


def stay(nights):
    return Stay("Ada", date(2026, 5, 1), date(2026, 5, 1 + nights))


def test_nights():
    assert stay(2).nights() == 2
    assert stay(0).nights() == 0


def test_covers():
    assert stay(2).covers(date(2026, 5, 2))
    assert not stay(2).covers(date(2026, 5, 3))


def test_total():
    assert total(stay(1)) == 12840


def test_breakfast():
    assert breakfast_price(2) == 2568
