import { Room, Stay, freeRooms, listStays } from "./api";
import { count, euros, day } from "./text";

function row(cells: string[]): string {
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

function roomRow(room: Room): string {
  const beds = count(room.beds, "bed");
  return row([room.name, beds, euros(room.centsPerNight)]);
}

function stayRow(stay: Stay): string {
  const from = day(stay.begins);
  const name = stay.guest.toUpperCase();
  const until = day(stay.leaves);
  return row([name, stay.room, from, until]);
}

export async function today(iso: string): Promise<string> {
  const stays = await listStays();
  const here = stays.filter((stay) => stay.begins <= iso && iso < stay.leaves);
  const free = await freeRooms(iso);
  return [
    `<h1>${day(iso)}</h1>`,
    `<p>${count(here.length, "guest")} in the house</p>`,
    `<table>${here.map(stayRow).join("")}</table>`,
    `<h2>Free</h2>`,
    `<table>${free.map(roomRow).join("")}</table>`,
  ].join("\n");
}
