import { inStorage } from '#client/store/browser-storage.ts';

const STORAGE_KEY = 'reported';
const SEPARATOR = ' ';
const MOST_KEPT = 20;

/** The event ids that this page knows: those it reported itself, and those found in storage. */
const reported = new Set<string>();

/** Reports an event once per browser, also across reloads, history navigation and tabs. */
export function reportOnce(eventId: string, report: () => void): void {
  const kept = readReported();
  for (const id of kept) reported.add(id);
  const isNew = !reported.has(eventId);
  reported.add(eventId);
  if (!kept.includes(eventId)) keepReported();
  if (isNew) report();
}

/** Deletes the stored event ids; this page still knows them for as long as it is open. */
export function forgetReported(): void {
  inStorage('local', (storage) => storage.removeItem(STORAGE_KEY));
}

function readReported(): string[] {
  return inStorage('local', (storage) => storage.getItem(STORAGE_KEY))?.split(SEPARATOR) ?? [];
}

function keepReported(): void {
  const newest = [...reported].slice(-MOST_KEPT);
  inStorage('local', (storage) => storage.setItem(STORAGE_KEY, newest.join(SEPARATOR)));
}
