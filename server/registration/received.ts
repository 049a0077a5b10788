import type { ActRow } from '#server/database/database.ts';
import { type ActFacts, factsOfAct } from './acts.ts';
import type { Ledger } from './ledger.ts';

export const NUMBER_LENGTH = 20;

/** A check or a transfer that came, as a user of the office recorded it. */
export interface Received extends ActFacts<'received'> {
  id: string;
  /** Counts her payments of this kind, also those that were taken back: `payment-1`. */
  name: string;
}

export const TAKEN_BACK = { bounced: 'It bounced', mistake: 'It was a mistake' } as const;

/** A payment that came and no longer counts. */
export interface TakenBack extends ActFacts<'withdrawal'> {
  payment: Received;
}

/** All that came beside cards: what counts, and what was taken back, each in the order of their records. */
export interface ReceivedOnRecord {
  counting: readonly Received[];
  takenBack: readonly TakenBack[];
}

export function readReceived(acts: readonly ActRow[], entries: Ledger['entries'] = []): ReceivedOnRecord {
  const all = acts
    .filter(({ kind }) => kind === 'received')
    .map((act, index) => ({
      ...factsOfAct(act, 'received'),
      cents: entries.find(({ id }) => id === act.id)?.cents ?? 0,
      id: act.id,
      name: `payment-${index + 1}`,
    }));
  const takenBack = all.flatMap((payment) => {
    const undone = acts.find(({ undoes }) => undoes === payment.id);
    return undone ? { ...factsOfAct(undone, 'withdrawal'), payment } : [];
  });
  const counting = all.filter(({ id }) => !takenBack.some(({ payment }) => payment.id === id));
  return { counting, takenBack };
}

/** All payments that came, also those that were taken back, in the order of their records. */
export function allReceived({ counting, takenBack }: ReceivedOnRecord): readonly Received[] {
  const all = [...counting, ...takenBack.map(({ payment }) => payment)];
  return all.toSorted((one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }));
}
