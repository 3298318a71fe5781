from fake_editor import fake as fake
