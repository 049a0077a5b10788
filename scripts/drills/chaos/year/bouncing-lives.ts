import { onSale } from './editions.ts';
import { arrivesAgain, at, bounce, type Deed, type Life, officeCorrects } from './life.ts';

const HOUR_MS = 60 * 60 * 1000;
const { notice, reminder, charge } = onSale.moments;

const CHARGED = { phase: 'early', ending: 'charged', tries: 1 } as const;
const UNPAID = { phase: 'early', ending: 'unpaid', tries: 0 } as const;

const correctsOnPage = (when: number, email: string): Deed => ({
  ...{ does: 'new-address', corrects: `own-${email}` },
  at: when,
});
/**
 * The lives of registrants whose letters bounce. A registrant who was not notified again in time is not
 * charged.
 */
export const bouncingLives = {
  'bounces-unreachable': {
    ...UNPAID,
    ...{ share: 2, letters: 'notice' },
    bounces: ({ draw }) => [bounce('notice', draw, { withinMs: 4 * 24 * HOUR_MS })],
  },
  'bounces-corrects': {
    ...CHARGED,
    ...{ share: 2, letters: 'notice confirm notice reminder paid' },
    bounces: ({ draw }) => [bounce('notice', draw)],
    deeds: ({ email }) => [correctsOnPage(at(notice, 3), email)],
  },
  'bounces-office-corrects': {
    ...CHARGED,
    ...{ share: 1, letters: 'notice notice reminder paid' },
    bounces: ({ draw }) => [bounce('notice', draw)],
    deeds: ({ email }) => [officeCorrects(at(notice, 3), email)],
  },
  'bounces-arrives-again': {
    ...CHARGED,
    ...{ share: 2, letters: 'notice notice reminder paid' },
    bounces: ({ draw }) => [bounce('notice', draw)],
    deeds: () => [arrivesAgain(at(notice, 3))],
  },
  // Too late for a new notice of the charge.
  'bounces-corrects-late': {
    ...UNPAID,
    ...{ share: 1, letters: 'notice confirm please-pay' },
    bounces: ({ draw }) => [bounce('notice', draw)],
    deeds: ({ email }) => [correctsOnPage(at(charge, -2), email)],
  },
  'bounces-reminded': {
    ...UNPAID,
    ...{ share: 1, letters: 'notice reminder' },
    bounces: ({ draw }) => [bounce('reminder', draw)],
  },
  'bounces-refused': {
    ...{ share: 1, letters: 'notice reminder failed', phase: 'early', ending: 'unpaid', tries: 1 },
    declines: ['insufficient_funds'],
    bounces: () => [{ of: 'failed', type: 'hard', afterMs: 0 }],
  },
  // The bounce was not known yet when her card was charged.
  'bounces-known-too-late': {
    ...CHARGED,
    ...{ share: 1, letters: 'notice reminder paid' },
    bounces: () => [{ of: 'notice', type: 'hard', afterMs: charge + 30 * HOUR_MS - notice }],
  },
  'bounces-pays': {
    ...{ share: 1, letters: 'notice', phase: 'early', ending: 'pays', tries: 0 },
    bounces: ({ draw }) => [bounce('notice', draw)],
    deeds: () => [{ does: 'pay-now', at: at(notice, 5) }],
  },
  'bounces-cancels': {
    ...{ share: 1, letters: 'notice office-cancel', phase: 'early', ending: 'cancelled', tries: 0 },
    bounces: ({ draw }) => [bounce('notice', draw)],
    deeds: () => [{ does: 'cancel', at: at(notice, 4) }],
  },
  // A bounce from the old address says nothing about the new one.
  'bounces-old-address': {
    ...CHARGED,
    ...{ share: 1, letters: 'notice confirm changed notice reminder paid' },
    bounces: () => [{ of: 'notice', type: 'hard', afterMs: reminder - notice - 4 * HOUR_MS }],
    deeds: ({ email }) => [correctsOnPage(at(notice, 3), email)],
  },
  'bounces-welcome': {
    ...CHARGED,
    ...{ share: 1, letters: 'notice reminder paid', maybe: 'notice' },
    bounces: ({ draw }) => [bounce('welcome', draw)],
    deeds: ({ beganAt, email }) => [officeCorrects(at(beganAt, 2.5), email)],
  },
  // The letter is lost, but her address works: its news is sent again, unless a copy of the letter came
  // later.
  'bounces-softly': {
    ...CHARGED,
    ...{ share: 1, letters: 'notice reminder paid', maybe: 'notice' },
    bounces: ({ draw }) => [bounce('notice', draw, { type: 'soft' })],
  },
  'bounces-softly-twice': {
    ...UNPAID,
    ...{ share: 1, letters: 'notice reminder', maybe: 'notice' },
    bounces: ({ draw }) => [
      bounce('notice', draw, { type: 'soft' }),
      bounce('reminder', draw, { type: 'soft' }),
    ],
  },
  complains: {
    ...CHARGED,
    ...{ share: 1, letters: 'notice reminder paid' },
    bounces: ({ draw }) => [bounce('notice', draw, { type: 'complaint' })],
  },
} satisfies Record<string, Life>;
