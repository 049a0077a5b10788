import { edition } from '#shared/content/compiled/on-sale.ts';

export const MINUTE_MS = 60 * 1000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const { facts, timetable, tryOutFrom } = edition;
const { letters } = timetable;

/** What happens when, in milliseconds since the epoch of business time: from the edition's data. */
export const moments = {
  opens: Date.parse(tryOutFrom),
  notice: Date.parse(facts.balance.noticeAt),
  reminder: Date.parse(facts.balance.reminderAt),
  charge: Date.parse(facts.balance.chargeAt),
  testSession: Date.parse(letters.testSession),
  closes: Date.parse(facts.registration.closes),
  ends: Date.parse(facts.endsAt),
  recordings: Date.parse(letters.recordings ?? facts.endsAt),
};
export const wayInAt: readonly number[] = letters.wayIn.map(({ at }) => Date.parse(at));

type Name = keyof typeof moments | 'begun';

/** `notice+2d`: a moment, or that in which she began, moved by days or hours. */
export type When = `${Name}${'' | `${'+' | '-'}${number}${'d' | 'h'}`}`;

export function at(when: When, begun = moments.opens): number {
  const [, name = '', by = '0', unit] = /^([a-zA-Z]+)(?:([+-][\d.]+)([dh]))?$/.exec(when) ?? [];
  const from = Object.entries({ ...moments, begun }).find(([one]) => one === name)?.[1];
  if (from === undefined) throw new Error(`There is no moment ${when}`);
  return from + Number(by) * (unit === 'd' ? DAY_MS : HOUR_MS);
}
