import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import type { Terms } from '#shared/content/edition.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * What the lives of an edition go by: moments in milliseconds since the epoch, sums in US cents. Sums are written out,
 * and so are the moments of the next edition: the product works them out.
 */
export interface EditionLived {
  id: string;
  title: string;
  packageId: string;
  /** Those that its page shows. */
  terms: Pick<Terms, 'version' | 'digest'>;
  timeZone: string;
  moments: {
    opens: number;
    notice: number;
    reminder: number;
    charge: number;
    refundsEnd: number;
    closes: number;
    ends: number;
  };
  /** Who pays her deposit later than so long before the charge is charged so long after it. */
  lateMs: number;
  depositCents: number;
  /** The balance by card. */
  balanceCents: number;
  /** And by check. */
  checkCents: number;
  /** What comes back to her card of a balance paid by it, when she cancels in time. */
  backCents: number;
}

const { facts, terms, timetable, tryOutFrom } = edition;

/** The edition that is on sale. */
export const onSale: EditionLived = {
  ...{ id: facts.id, title: facts.title, packageId: facts.retreatPackage.id },
  ...{ terms, timeZone: timetable.timeZone.id },
  moments: {
    opens: Date.parse(tryOutFrom),
    notice: Date.parse(facts.balance.noticeAt),
    reminder: Date.parse(facts.balance.reminderAt),
    charge: Date.parse(facts.balance.chargeAt),
    refundsEnd: Date.parse(facts.balance.refundsEndAt),
    closes: Date.parse(facts.registration.closes),
    ends: Date.parse(facts.endsAt),
  },
  lateMs: 7 * DAY_MS,
  ...{ depositCents: 72_100, balanceCents: 72_625, checkCents: 70_000, backCents: 70_000 },
};

/** The edition after it. In its zone the clocks change on March 29, between its reminder and its charge. */
export const nextEdition: Omit<EditionLived, 'terms'> = {
  ...{ id: 'april-2026', title: 'The Harbor Retreat', packageId: 'harbor_april_2026' },
  timeZone: 'Europe/Lisbon',
  moments: {
    opens: Date.parse('2025-12-03T09:00+00:00'),
    notice: Date.parse('2026-03-19T11:30+00:00'),
    reminder: Date.parse('2026-03-28T11:30+00:00'),
    charge: Date.parse('2026-04-02T11:30+01:00'),
    refundsEnd: Date.parse('2026-04-03T00:00+01:00'),
    closes: Date.parse('2026-04-17T20:30+01:00'),
    ends: Date.parse('2026-04-23T00:00+01:00'),
  },
  lateMs: 4 * DAY_MS,
  // Its terms give the card fee back.
  ...{ depositCents: 40_600, balanceCents: 80_777, checkCents: 78_500, backCents: 80_777 },
};
