import { inStorage } from '#client/store/browser-storage.ts';

const STORAGE_KEY = 'reported';
const SEPARATOR = ' ';
const MOST_KEPT = 20;

/** All that this page knows of: what it reported itself, and what it has found in the storage. */
const reported = new Set<string>();

/** Reports something once for this browser, whatever is reloaded, gone back to, or reached in another tab too. */
export function reportOnce(eventId: string, report: () => void): void {
  const kept = readReported();
  for (const id of kept) reported.add(id);
  const isNew = !reported.has(eventId);
  reported.add(eventId);
  if (!kept.includes(eventId)) keepReported();
  if (isNew) report();
}

/** Keeps nothing of it; only this page still knows, for as long as it is open. */
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
