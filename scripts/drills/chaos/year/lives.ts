import { bouncingLives } from './bouncing-lives.ts';
import { cancellingLives } from './cancelling-lives.ts';
import { onSale } from './editions.ts';
import { at, day, type Life, office, officeCorrects } from './life.ts';

const HOUR_MS = 60 * 60 * 1000;
const { charge, notice } = onSale.moments;

/** All lives of the drill. Sums are literals: no code of the product calculates them. */
export const LIVES = {
  ...cancellingLives,
  ...bouncingLives,
  charged: { share: 30, letters: 'notice reminder paid', phase: 'early', ending: 'charged', tries: 1 },
  'registers-soon': { share: 9, letters: 'notice reminder paid', phase: 'soon', ending: 'charged', tries: 1 },
  'registers-late': { share: 9, letters: 'notice reminder paid', phase: 'late', ending: 'charged', tries: 1 },
  'registers-last': { share: 2, letters: 'please-pay', phase: 'last', ending: 'unpaid', tries: 0 },
  'registers-on-eve': { share: 1, letters: 'please-pay', phase: 'eve', ending: 'unpaid', tries: 0 },
  'registers-on-eve-pays': {
    ...{ share: 1, letters: 'please-pay paid', phase: 'eve', ending: 'pays', tries: 0 },
    deeds: () => [{ does: 'pay-now', at: onSale.moments.closes + 12 * HOUR_MS }],
  },
  'never-registers': { share: 4, letters: '', phase: 'early', ending: 'never-registered' },
  'no-consent': {
    share: 2,
    letters: 'please-pay',
    phase: 'early',
    ending: 'unpaid',
    isWithoutConsent: true,
    tries: 0,
  },
  'no-consent-pays': {
    ...{
      share: 2,
      letters: 'please-pay paid',
      phase: 'early',
      ending: 'pays',
      isWithoutConsent: true,
      tries: 0,
    },
    deeds: () => [{ does: 'pay-now', at: at(charge, 2) }],
  },
  'declined-once': {
    ...{ share: 5, letters: 'notice reminder failed paid', phase: 'early', ending: 'charged', tries: 2 },
    declines: ['insufficient_funds'],
  },
  'declined-twice': {
    ...{ share: 3, letters: 'notice reminder failed paid', phase: 'early', ending: 'charged', tries: 3 },
    declines: ['insufficient_funds', 'generic_decline'],
  },
  'declined-always': {
    ...{ share: 2, letters: 'notice reminder failed failed', phase: 'early', ending: 'unpaid', tries: 4 },
    declines: Array.from({ length: 9 }, () => 'generic_decline'),
  },
  'card-lost': {
    share: 2,
    letters: 'notice reminder failed',
    phase: 'early',
    ending: 'unpaid',
    declines: ['lost_card', 'lost_card'],
    tries: 1,
  },
  'card-expired-pays': {
    ...{
      share: 2,
      letters: 'notice reminder failed paid',
      phase: 'early',
      ending: 'pays',
      declines: ['expired_card', 'expired_card'],
      tries: 1,
    },
    deeds: () => [{ does: 'pay-now', at: at(charge, 3) }],
  },
  'card-declined-changes': {
    share: 2,
    letters: 'notice reminder failed paid',
    phase: 'early',
    ending: 'charged',
    declines: ['insufficient_funds', 'insufficient_funds', 'insufficient_funds'],
    tries: 2,
    deeds: () => [{ does: 'new-card', at: at(charge, 21 / 24) }],
  },
  authentication: {
    ...{
      share: 3,
      letters: 'notice reminder failed paid',
      phase: 'early',
      ending: 'pays',
      card: 'authentication',
      tries: 1,
    },
    deeds: () => [{ does: 'pay-now', at: at(charge, 1.5) }],
  },
  'authentication-ignored': {
    share: 1,
    letters: 'notice reminder failed',
    phase: 'early',
    ending: 'unpaid',
    card: 'authentication',
    tries: 1,
  },
  'new-card': {
    ...{ share: 3, letters: 'notice reminder paid', phase: 'early', ending: 'charged', tries: 1 },
    declines: ['lost_card'],
    deeds: () => [{ does: 'new-card', at: at(notice, 4) }],
  },
  'card-expires': {
    ...{ share: 1, letters: 'notice expires reminder failed', phase: 'turn', ending: 'unpaid', tries: 1 },
    cardEnds: true,
    declines: ['expired_card'],
  },
  'card-expires-changes': {
    ...{ share: 2, letters: 'notice expires reminder paid', phase: 'turn', ending: 'charged', tries: 1 },
    cardEnds: true,
    declines: ['expired_card'],
    deeds: ({ beganAt }) => [{ does: 'new-card', at: at(beganAt, 1.5) }],
  },
  'pays-early': {
    ...{ share: 4, letters: 'notice paid', phase: 'early', ending: 'pays', tries: 0 },
    deeds: () => [{ does: 'pay-now', at: at(notice, 5) }],
  },
  // She pays at the very moment of the charge: either payment is right, both would be wrong.
  'pays-meanwhile': {
    ...{ share: 3, letters: 'notice reminder paid', maybe: 'failed', phase: 'early', ending: 'charged' },
    deeds: () => [{ does: 'pay-now', at: charge }],
  },
  'check-comes': {
    ...{ share: 2, letters: 'notice paid', phase: 'early', ending: 'check', tries: 0 },
    deeds: () => [
      office(at(notice, 2), 'pay-by-check'),
      office(at(charge, 4), 'pay-by-check', '--received', day(charge, 3)),
    ],
  },
  'check-promised': {
    ...{ share: 1, letters: 'notice', phase: 'early', ending: 'unpaid', tries: 0 },
    deeds: () => [office(at(notice, 2), 'pay-by-check')],
  },
  'waived-before': {
    ...{
      share: 2,
      letters: 'notice reminder paid',
      phase: 'early',
      ending: 'charged',
      cents: 51_875,
      tries: 1,
    },
    deeds: () => [{ ...office(at(notice, -0.3), 'waive', '200'), stops: true }],
  },
  'waived-after-notice': {
    ...{
      share: 1,
      letters: 'notice reminder paid',
      phase: 'early',
      ending: 'charged',
      cents: 20_750,
      tries: 1,
    },
    deeds: () => [office(at(notice, 3), 'waive', '500')],
  },
  'waived-all': {
    ...{ share: 1, letters: 'notice', phase: 'early', ending: 'waived', tries: 0 },
    deeds: () => [office(at(notice, 3), 'waive', '700')],
  },
  postponed: {
    ...{ share: 3, letters: 'notice postponed reminder paid', phase: 'early', ending: 'charged', tries: 1 },
    deeds: () => [office(at(notice, 6), 'postpone', day(charge, 18))],
  },
  'cancels-before': {
    ...{ share: 3, letters: 'notice received cancelled', phase: 'early', ending: 'cancelled', tries: 0 },
    deeds: () => [office(at(notice, 7), 'cancel', '--written', day(notice, 6))],
  },
  'cancels-after': {
    ...{
      share: 2,
      letters: 'notice reminder paid received cancelled',
      phase: 'early',
      ending: 'charged',
      tries: 1,
    },
    deeds: () => [office(at(charge, 6), 'cancel', '--written', day(charge, 5))],
  },
  'cancels-retrying': {
    ...{
      share: 1,
      letters: 'notice reminder received cancelled',
      phase: 'early',
      ending: 'cancelled',
      tries: 1,
    },
    declines: ['insufficient_funds'],
    deeds: () => [office(at(charge, 0.6), 'cancel', '--written', day(charge, 0))],
  },
  'new-address': {
    ...{ share: 2, letters: 'notice confirm changed notice reminder paid' },
    ...{ phase: 'early', ending: 'charged', tries: 1 },
    deeds: ({ email }) => [{ does: 'new-address', at: at(notice, 3), corrects: `own-${email}` }],
  },
  'address-corrected': {
    ...{
      share: 2,
      letters: 'notice changed notice reminder paid',
      phase: 'early',
      ending: 'charged',
      tries: 1,
    },
    deeds: ({ email }) => [officeCorrects(at(notice, 3), email)],
  },
  disputed: {
    ...{ share: 1, letters: 'notice', phase: 'early', ending: 'unpaid', tries: 0 },
    deeds: () => [{ does: 'dispute', at: at(notice, 4) }],
  },
} satisfies Record<string, Life>;
