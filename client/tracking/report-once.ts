import { inStorage } from '#client/registration/browser-storage.ts';

const STORAGE_KEY = 'reported';
const SEPARATOR = ' ';

const reported = new Set<string>();

/** Reports something once for the tab's life, whatever is reloaded or gone back to. */
export function reportOnce(eventId: string, report: () => void): void {
  for (const id of readReported()) reported.add(id);
  if (reported.has(eventId)) return;
  reported.add(eventId);
  inStorage('session', (storage) => storage.setItem(STORAGE_KEY, [...reported].join(SEPARATOR)));
  report();
}

function readReported(): string[] {
  return inStorage('session', (storage) => storage.getItem(STORAGE_KEY))?.split(SEPARATOR) ?? [];
}
