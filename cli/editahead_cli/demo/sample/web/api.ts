import { trace } from "./trace";

export interface Room {
  name: string;
  beds: number;
  centsPerNight: number;
}

export interface Stay {
  guest: string;
  room: string;
  begins: string;
  leaves: string;
}

const BASE = "/api/v1";

async function get<T>(path: string): Promise<T> {
  const answer = await fetch(`${BASE}${path}`);
  if (!answer.ok) {
    throw new Error(`${path}: ${answer.status}`);
  }
  return (await answer.json()) as T;
}

export async function listRooms(): Promise<Room[]> {
  const rooms = await get<Room[]>("/rooms");
  return rooms.sort((one, other) => one.name.localeCompare(other.name));
}

export async function freeRooms(day: string): Promise<Room[]> {
  return get<Room[]>(`/rooms/free?day=${day}`);
}

export async function listStays(): Promise<Stay[]> {
  return get<Stay[]>("/stays");
}

export async function bookStay(stay: Stay): Promise<void> {
  const body = JSON.stringify(stay);
  const answer = await fetch(`${BASE}/stays`, { method: "POST", body });
  if (answer.status === 409) {
    throw new Error(`${stay.room} is taken`);
  }
}
