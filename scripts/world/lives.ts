import { type Facts, type Happening, type Life, lifeOf, type When } from './life.ts';

const PAYS: Facts = { ending: 'pays', letters: 'notice paid' };
const DUE: Facts = { ending: 'unpaid', state: 'due' };
const ASKED: Facts = { ...DUE, letters: 'please-pay', needs: ['asked-to-pay'] };
const BEGUN: Facts = { ending: 'never-registered', letters: '' };
/** Her card was refused, and is not tried again. */
const STOPPED: Facts = {
  ending: 'unpaid',
  letters: 'notice reminder failed',
  tries: 1,
  state: 'action-needed',
  needs: ['action-needed'],
};
/** Her card expires in the month in which she registers, and is charged in the next. */
const EXPIRES: Facts = { phase: 'turn', cardEnds: true, declines: 'expired_card' };
const REFUSED: Facts = { letters: 'notice reminder failed paid' };
/** The confirmation to her, the copy to the office, and what came of it a day later. */
const CANCELLED = 'received office-cancel cancelled';
const UNDONE = 'received office-cancel undone office-undone';
const NOTHING: Facts = { ending: 'cancelled', state: 'nothing-back', letters: `notice ${CANCELLED}` };
/** Charged, and cancelled in the hours after it: the letter about the payment may be overtaken. */
const CHARGED: Facts = { letters: `notice reminder ${CANCELLED}`, maybe: 'paid' };
const PAYS_CANCELS: Facts = {
  ending: 'pays',
  letters: `notice paid ${CANCELLED}`,
  back: 70_000,
  state: 'refunded',
};
const WRITES: Facts = { letters: 'notice reminder paid received cancelled', state: 'nothing-back' };
/** Her address changes when the balance is paid. */
const MOVED: Facts = { letters: 'notice reminder paid confirm', maybe: 'notice reminder paid' };
/** A part of the tuition is taken off. */
const REDUCED: Facts = { letters: 'reduced notice reminder paid' };
const CHECK: readonly Happening[] = [
  'notice+1d office pay-by-check',
  'notice+3d office received way=check dollars=700 on={notice+2d}',
];
/** She calls, and the office holds a place for her until the deposit comes. */
const CALLS: Facts = { share: 1, phase: 'first' };
const HELD = 'until={began+9d} agreed=phone agreedOn={began}';
/** The balance in three parts, which the card fee leaves at $726.25. */
const PLANNED: readonly Happening[] = [
  'notice-7h! office plan parts="{charge} 300, {charge+10d} 250, {charge+20d} 150"',
];
const AGREES: Happening = 'notice-6h! office plan-agreed agreed=phone agreedOn={notice-6h}';
const AGREED: readonly Happening[] = PLANNED.concat(AGREES);
const AGREED_SOON: readonly Happening[] = [
  'notice-7h! office plan parts="{notice+4d} 300, {charge} 250, {charge+10d} 150"',
  AGREES,
];
const IN_PARTS: Facts = {
  share: 1,
  parts: 'charged 31125 charged 25938 charged 15562',
  letters: 'plan plan notice reminder part-paid notice reminder part-paid notice reminder paid',
};
/** From the receipt of part 1 on, where she paid that herself. */
const FIRST_PAID = 'part-paid notice reminder part-paid notice reminder paid';
const HAND_OVER =
  'office hand-over firstName=Quillfeatherly lastName=Marrowby email={sister} phoneNumber="+49 30 5550 1999"';

const rows = {
  // She pays as announced.
  charged: [{ share: 30, sample: 80, on: '12-01 12-02 12-03 12-04 12-06 12-08 12-09' }],
  'registers-soon': [{ share: 9, phase: 'soon' }],
  'registers-late': [{ share: 9, phase: 'late', sample: 10, on: '12-18 01-05' }],
  noticed: [{ sample: 18, on: '01-14 01-15 01-16 01-18', state: 'noticed' }],
  'new-card': [
    { share: 3, sample: 1, declines: 'lost_card', letters: 'notice card reminder paid' },
    'notice+4d new-card',
  ],
  'card-expires-changes': [
    { ...EXPIRES, share: 2, letters: 'notice expires card reminder paid' },
    'began+1.5d new-card',
  ],
  'pays-early': [{ ...PAYS, share: 4, sample: 4 }, 'notice+5d pay-now'],
  // She pays at the very moment of the charge: either payment is right, both would be wrong.
  'pays-meanwhile': [{ share: 3, tries: 'either', maybe: 'failed' }, 'charge pay-now'],

  // She owes, and is not charged.
  'never-registers': [{ ...BEGUN, share: 4, sample: 4, on: '01-05', state: 'lapsed' }],
  begun: [{ ...BEGUN, sample: 3, on: '01-19', state: 'begun' }],
  closed: [{ ...BEGUN, sample: 3, on: '12-08', state: 'closed' }, 'notice dashboard-cancels'],
  'registers-last': [{ ...ASKED, share: 2, phase: 'last', sample: 2, on: '01-19', state: 'registered' }],
  'registers-on-eve': [{ ...ASKED, share: 1, phase: 'eve' }],
  'registers-on-eve-pays': [
    { ...PAYS, share: 1, phase: 'eve', letters: 'please-pay paid' },
    'closes+12h pay-now',
  ],
  'no-consent': [{ ...ASKED, share: 2, sample: 2, consents: false }],
  'no-consent-ahead': [{ ...ASKED, sample: 1, on: '01-15', consents: false, state: 'registered' }],
  'no-consent-pays': [
    { ...PAYS, share: 2, consents: false, letters: 'please-pay paid' },
    'charge+2d pay-now',
  ],
  'letter-refused': [
    { sample: 2, on: '01-15 01-18', isRefused: true, state: 'registered', needs: ['letter-failed'] },
  ],
  'no-notice': [{ ...DUE, sample: 1, isRefused: true, needs: ['letter-failed', 'asked-to-pay'] }],
  'charge-stuck': [{ ...DUE, sample: 1, needs: ['overdue'] }, 'notice+5d stripe-refuses'],

  // Her card is declined.
  'declined-once': [{ ...REFUSED, share: 5, sample: 2, tries: 2, declines: 'insufficient_funds' }],
  'declined-twice': [
    {
      ...REFUSED,
      share: 3,
      tries: 3,
      declines: 'insufficient_funds generic_decline',
      sample: 3,
      on: '01-11',
      state: 'retrying',
    },
  ],
  'declined-always': [
    {
      ...STOPPED,
      share: 2,
      sample: 1,
      tries: 4,
      letters: 'notice reminder failed failed',
      declines: 'generic_decline '.repeat(9),
    },
  ],
  'charged-again': [
    { ...REFUSED, sample: 1, tries: 2, declines: 'insufficient_funds' },
    'charge+1d office charge',
  ],
  'card-lost': [{ ...STOPPED, share: 2, sample: 2, declines: 'lost_card lost_card' }],
  'card-expires': [{ ...STOPPED, ...EXPIRES, share: 1, letters: 'notice expires reminder failed' }],
  'card-expired-pays': [
    { ...PAYS, ...REFUSED, share: 2, tries: 1, declines: 'expired_card expired_card' },
    'charge+3d pay-now',
  ],
  'card-declined-changes': [
    {
      letters: 'notice reminder failed card paid',
      share: 2,
      tries: 2,
      declines: 'insufficient_funds '.repeat(3),
    },
    'charge+21h new-card',
  ],
  authentication: [
    { ...PAYS, ...REFUSED, share: 3, tries: 1, card: 'authentication' },
    'charge+1.5d pay-now',
  ],
  'authentication-ignored': [{ ...STOPPED, share: 1, sample: 1, card: 'authentication' }],

  // The office decides.
  'check-comes': [
    { share: 2, sample: 3, ending: 'check', letters: 'notice paid' },
    'notice+2d office pay-by-check',
    'charge+4d office received way=check dollars=700 on={charge+3d}',
  ],
  'check-promised': [
    { ...DUE, share: 1, sample: 2, letters: 'notice', needs: ['check-overdue'] },
    'notice+2d office pay-by-check',
  ],
  'check-in-two-parts': [
    { share: 1, sample: 1, ending: 'check', letters: 'notice check-came paid' },
    'notice+1d office pay-by-check',
    'notice+3d office received way=check dollars=400 on={notice+2d}',
    'charge+4d office received way=check dollars=300 on={charge+3d}',
  ],
  'check-bounces': [
    { share: 1, sample: 1, ending: 'check', letters: 'notice paid check-bounced paid' },
    ...CHECK,
    'notice+5d office undo what=payment-1-bounced',
    'charge+4d office received way=check dollars=700 on={charge+3d}',
  ],
  'scholarship-of-all': [
    { share: 1, sample: 1, ending: 'waived', letters: 'notice reduced refund-made', back: 69_500 },
    'notice+3d office waive dollars=1395 as=scholarship',
    'notice+5d office refund dollars=695 reason=scholarship',
  ],
  'waived-before': [
    { ...REDUCED, share: 2, sample: 2, cents: 51_875 },
    'notice-7h! office waive dollars=200 as=reduction',
  ],
  'waived-after-notice': [
    { ...REDUCED, share: 1, cents: 20_750 },
    'notice+3d office waive dollars=500 as=reduction',
  ],
  'waived-all': [
    { share: 1, sample: 1, ending: 'waived', letters: 'notice reduced' },
    'notice+3d office waive dollars=700 as=reduction',
  ],
  postponed: [
    { share: 3, letters: 'notice postponed reminder paid' },
    'notice+6d office postpone day={charge+18d}',
  ],
  'postponed-long': [{ sample: 3, state: 'postponed' }, 'notice+5d office postpone day={charge+34d}'],
  'given-some-back': [
    { share: 1, sample: 2, letters: 'notice reminder paid refund-made', back: 5_000 },
    'charge+4d office refund dollars=50 reason=ill',
  ],
  'given-back-not-taken': [
    { sample: 1, card: 'failingRefund', back: 5_000, needs: ['check-to-send'] },
    'charge+20d office refund dollars=50 reason=ill',
    'charge+25d settles-refunds',
  ],
  'name-corrected': [{ sample: 1 }, 'notice+5d office edit lastName=Corrected'],
  'new-address': [
    { share: 2, letters: 'notice confirm changed notice reminder paid' },
    'notice+3d new-address',
  ],
  'address-asked': [{ sample: 1 }, 'charge+29d ask-address'],
  'address-corrected': [
    { share: 2, sample: 2, letters: 'notice changed notice reminder paid' },
    'notice+3d office edit email={address}',
  ],

  // The office registers her.
  'calls-sends-check': [
    {
      ...CALLS,
      ...PAYS,
      phone: `way=check ${HELD}`,
      deposit: 69_500,
      letters: 'held please-pay paid',
    },
    'began+3d office received way=check dollars=695 on={began+3d}',
    'charge-2d pay-now',
  ],
  'calls-pays-by-card': [
    { ...CALLS, phone: `way=card ${HELD}`, letters: 'held notice reminder paid' },
    'began+0.3d! pay-now',
  ],
  'calls-with-scholarship': [
    {
      ...CALLS,
      phone: `way=card ${HELD} scholarship=200`,
      cents: 51_875,
      letters: 'held reduced notice reminder paid',
    },
    'began+0.3d! pay-now',
  ],
  'calls-and-lapses': [
    { ...CALLS, ...BEGUN, phone: `way=check ${HELD}`, letters: 'held held-reminder lapsed' },
  ],
  'calls-and-is-awaited': [
    {
      ...BEGUN,
      sample: 1,
      on: '01-17',
      state: 'held',
      needs: ['deposit-late'],
      phone: 'way=check until={began+2d} agreed=phone agreedOn={began}',
    },
  ],

  // Her sister comes in her stead, or does not answer.
  'hands-over': [
    { share: 1, sample: 1, letters: 'notice asked offered handed-over handed-away notice reminder paid' },
    `notice+1d ${HAND_OVER}`,
    'notice+2d give-place',
    'notice+3d take-place',
  ],
  'hands-over-in-vain': [
    { share: 1, letters: 'notice asked offered reminder paid' },
    `notice+1d ${HAND_OVER}`,
    'notice+2d give-place',
  ],

  // She pays the balance in three parts.
  planned: [{ ...IN_PARTS, sample: 1 }, ...AGREED],
  'planned-declined': [
    { ...IN_PARTS, letters: `${IN_PARTS.letters} failed`, tries: 4 },
    ...AGREED,
    'charge+9d lacks-funds',
  ],
  // What was refused for good is not tried with another part.
  'planned-card-lost': [
    {
      ...IN_PARTS,
      parts: 'charged 31125 pays 25938 pays 15562',
      tries: 2,
      letters: 'plan plan notice reminder part-paid notice reminder failed part-paid notice failed paid',
    },
    ...AGREED,
    'charge+9d card-lost',
    'charge+13d pay-now',
    'charge+23d pay-now',
  ],
  'planned-not-agreed': [{ ...DUE, share: 1, letters: 'plan please-pay please-pay please-pay' }, ...PLANNED],
  'planned-agrees-late': [
    {
      ...IN_PARTS,
      parts: 'pays 31125 charged 25938 charged 15562',
      letters: `plan please-pay plan please-pay ${FIRST_PAID}`,
    },
    ...PLANNED,
    'charge-2d office plan-agreed agreed=writing agreedOn={charge-3d}',
    'charge+2d pay-now',
  ],
  'planned-pays-ahead': [
    {
      ...IN_PARTS,
      parts: 'pays 31125 charged 25938 charged 15562',
      letters: `plan plan notice ${FIRST_PAID}`,
    },
    ...AGREED,
    'notice+2d pay-now',
  ],
  'planned-paused': [
    { ...IN_PARTS, letters: `${IN_PARTS.letters} plan plan notice` },
    ...AGREED_SOON,
    'notice+6d office plan parts="{charge+2d} 250, {charge+10d} 150" paused=yes',
    'charge-3d office plan parts="{charge+6d} 250, {charge+16d} 150" paused=',
  ],
  'planned-ends': [
    {
      share: 1,
      parts: 'charged 31125 charged 41500',
      letters: 'plan plan notice notice reminder part-paid plan notice reminder paid',
    },
    ...AGREED_SOON,
    'notice+6d office undo what=plan',
  ],
  'planned-cancels': [
    {
      share: 1,
      parts: 'charged 31125 charged 25938',
      back: 55_000,
      letters: `plan plan notice notice reminder part-paid reminder part-paid ${CANCELLED}`,
    },
    'notice-7h! office plan parts="{notice+4d} 300, {notice+6d} 250, {charge+10d} 150"',
    AGREES,
    'notice+8d cancel',
  ],
  'planned-cancels-late': [
    {
      share: 1,
      parts: 'charged 31125 charged 25938',
      letters: `plan plan notice reminder part-paid notice reminder part-paid notice ${CANCELLED}`,
    },
    ...AGREED,
    'charge+14d cancel',
  ],

  // She pays on two devices; the first of her two registrations is charged.
  'pays-twice': [{ ...DUE, sample: 1, needs: ['paid-twice'] }],

  // Her bank disputes a charge, or somebody refunds it in Stripe's dashboard.
  disputed: [
    { ...DUE, share: 1, sample: 1, letters: 'notice', needs: ['disputed'] },
    'notice+4d disputes-deposit',
  ],
  'balance-disputed': [{ sample: 1, needs: ['disputed'] }, 'charge+20d disputes-balance'],
  'dispute-won': [{ sample: 1 }, 'charge+15d disputes-balance', 'charge+25d dispute-won'],
  'dispute-lost': [{ sample: 1 }, 'charge+15d disputes-balance', 'charge+25d dispute-lost'],
  'deposit-given-back': [{ ...DUE, sample: 1, needs: ['deposit-refunded'] }, 'notice+5d dashboard-refunds'],

  // She cancels, and nothing was paid but the deposit.
  'cancels-at-once': [{ ...NOTHING, share: 2, letters: CANCELLED, maybe: 'notice' }, 'began+0.2d cancel'],
  'cancels-told': [{ ...NOTHING, share: 2, sample: 6 }, 'notice+0.5d..reminder-1.5d cancel'],
  'cancels-reminded': [
    { ...NOTHING, share: 2, letters: `notice reminder ${CANCELLED}` },
    'reminder+0.3d..charge-1.2d cancel',
  ],
  'cancels-before': [
    { ...NOTHING, share: 3, letters: 'notice received cancelled' },
    'notice+7d office cancel written={notice+6d}',
  ],
  'cancels-retrying': [
    {
      ...NOTHING,
      share: 1,
      tries: 1,
      declines: 'insufficient_funds',
      letters: 'notice reminder received cancelled',
    },
    'charge+0.6d office cancel written={charge}',
  ],
  forgotten: [{ ...NOTHING, sample: 1 }, 'notice+2d cancel', 'notice+5d office forget'],
  cancelling: [{ sample: 2, state: 'cancelling' }, 'charge+30d cancel'],

  // She takes it back.
  'cancels-comes': [
    { share: 2, sample: 1, letters: `notice ${UNDONE} notice reminder paid` },
    'notice+2d! cancel',
    'notice+57h! undo',
  ],
  // Too late for a new notice of the charge.
  'cancels-comes-late': [
    { ...DUE, share: 1, letters: `notice ${UNDONE} please-pay` },
    'charge-77h! cancel',
    'charge-63h! undo',
  ],
  'charged-cancels-comes': [
    { share: 1, letters: 'notice reminder undone office-undone paid', maybe: 'received office-cancel' },
    'charge+3h! cancel',
    'charge+12h! undo',
  ],
  'office-undoes': [
    { share: 1, letters: 'notice received undone notice reminder paid' },
    'notice+2d! office cancel written={notice+1d}',
    'notice+57h! office undo what=cancel',
  ],

  // She cancels when the balance is paid, or about to be.
  'pays-cancels': [
    { ...PAYS_CANCELS, share: 3, sample: 3 },
    'notice+1d pay-now',
    'notice+3.5d..notice+6d cancel',
  ],
  'charged-cancels': [{ ...CHARGED, share: 3, back: 70_000 }, 'charge+3h! cancel'],
  'cancels-at-charge': [
    { ...CHARGED, share: 2, ending: 'charged-or-cancelled', tries: 'either', back: 'by-moment' },
    'charge cancel',
  ],
  // She presses within the last minute, or just after it.
  'cancels-at-deadline': [{ ...CHARGED, share: 1, back: 'by-moment' }, 'refundsEnd-0.01h! cancel'],
  'cancels-past-deadline': [{ ...CHARGED, share: 1 }, 'refundsEnd cancel'],
  'cancels-after': [{ ...WRITES, share: 2, sample: 2 }, 'charge+6d office cancel written={charge+5d}'],
  'wrote-in-last-minute': [
    { ...WRITES, share: 1, back: 70_000 },
    'charge+2d office cancel written={charge}T23:59',
  ],
  'wrote-a-minute-late': [{ ...WRITES, share: 1 }, 'charge+2d office cancel written={charge+1d}T00:00'],
  'waived-cancels': [
    { ...CHARGED, share: 1, letters: `reduced ${CHARGED.letters}`, cents: 51_875, back: 50_000 },
    'notice-7h! office waive dollars=200 as=reduction',
    'charge+3h! cancel',
  ],
  'given-some-back-cancels': [
    { ...PAYS_CANCELS, share: 1, letters: `notice paid refund-made ${CANCELLED}` },
    'notice+1d pay-now',
    'notice+3d office refund dollars=100 reason=late',
    'notice+5d cancel',
  ],
  'cancelling-in-time': [{ sample: 2, state: 'cancelling' }, 'charge+30d office cancel written={charge-1d}'],

  // What becomes of the refund.
  'refund-waits': [
    { ...PAYS_CANCELS, share: 1 },
    'notice+1d pay-now pendingRefund',
    'notice+4d cancel',
    'notice+8d settles-refunds',
  ],
  'refund-fails': [
    { ...PAYS_CANCELS, share: 1, sample: 1, letters: `notice paid ${CANCELLED} refund-failed refund-made` },
    'notice+1d pay-now failingRefund',
    'notice+4d cancel',
    'notice+8d settles-refunds',
    'charge+2d office refund-by-check dollars=700 sent={charge+1d}',
  ],
  'refund-under-way': [
    { sample: 2, card: 'pendingRefund', state: 'refund-pending' },
    'charge+20d office cancel written={charge-1d}',
  ],
  'refund-not-taken': [
    { sample: 1, card: 'failingRefund', state: 'refund-failed', needs: ['check-to-send'] },
    'charge+15d office cancel written={charge-1d}',
    'charge+25d settles-refunds',
  ],
  'refund-stuck': [
    { ...PAYS, sample: 1, state: 'cancelling', needs: ['refund-overdue'] },
    'notice+2d pay-now',
    'notice+8d cancel',
    'notice+8d stripe-refuses',
  ],
  'refund-renamed': [
    { sample: 1, state: 'cancelled' },
    'charge+15d office cancel written={charge-1d}',
    'charge+20d dashboard-renames-refund',
  ],
  'check-to-send': [
    { sample: 1, ending: 'check', state: 'refund-pending', needs: ['check-to-send'] },
    ...CHECK,
    'notice+8d cancel',
  ],
  'check-cancels': [
    { share: 1, ending: 'check', letters: `notice paid ${CANCELLED} refund-made`, checkBack: 70_000 },
    ...CHECK,
    'notice+4d cancel',
    'notice+8d office refund-by-check dollars=700 sent={notice+7d}',
  ],
  'cancels-disputes': [
    { ...PAYS, share: 1, letters: 'notice paid received office-cancel', state: 'cancelling' },
    'notice+1d pay-now',
    'notice+4d! cancel',
    'notice+4.5d! disputes-deposit',
  ],

  // Letters to her come back; without a new notice in time she is not charged.
  'bounces-unreachable': [
    { ...DUE, share: 2, sample: 2, letters: 'notice', needs: ['bounced'] },
    'notice comes back within 96h',
  ],
  'bounces-corrects': [
    { share: 2, letters: 'notice confirm notice reminder paid' },
    'notice comes back',
    'notice+3d new-address',
  ],
  'bounces-office-corrects': [
    { share: 1, letters: 'notice notice reminder paid' },
    'notice comes back',
    'notice+3d office edit email={address}',
  ],
  'bounces-arrives-again': [
    { share: 2, letters: 'notice notice reminder paid' },
    'notice comes back',
    'notice+3d office address-works',
  ],
  // Too late for a new notice of the charge.
  'bounces-corrects-late': [
    { ...DUE, share: 1, letters: 'notice confirm please-pay' },
    'notice comes back',
    'charge-2d new-address',
  ],
  'bounces-reminded': [{ ...DUE, share: 1, letters: 'notice reminder' }, 'reminder comes back'],
  'bounces-refused': [
    { ...STOPPED, share: 1, declines: 'insufficient_funds' },
    'failed comes back within 0h',
  ],
  // Nobody knew of it yet when her card was charged.
  'bounces-known-too-late': [{ share: 1 }, 'notice comes back at charge+30h'],
  'bounces-pays': [{ ...PAYS, share: 1, letters: 'notice' }, 'notice comes back', 'notice+5d pay-now'],
  'bounces-cancels': [
    { ...NOTHING, share: 1, letters: 'notice office-cancel' },
    'notice comes back',
    'notice+4d cancel',
  ],
  // A bounce from the old address says nothing about the new one.
  'bounces-old-address': [
    { share: 1, letters: 'notice confirm changed notice reminder paid' },
    'notice comes back at reminder-4h',
    'notice+3d new-address',
  ],
  'bounces-welcome': [
    { share: 1, maybe: 'notice' },
    'welcome comes back',
    'began+2.5d office edit email={address}',
  ],
  'to-call-back': [
    { share: 1, sample: 1, needs: ['call-back'] },
    'charge+1d office note text=Voicemail callBack=yes',
  ],
  // Letters about the retreat come back. Those that still apply go to a new address too.
  'bounces-invited': [{ share: 4 }, 'test-session comes back within 5h'],
  'bounces-invited-corrects': [
    { ...MOVED, share: 3 },
    'test-session comes back within 5h',
    'closes-7d..closes-2d new-address',
  ],
  'bounces-invited-arrives-again': [
    { share: 2 },
    'test-session comes back within 5h',
    'closes-6d office address-works',
  ],
  'bounces-on-eve': [{ share: 3 }, 'way-in comes back within 5h'],
  'bounces-on-eve-corrects': [
    { ...MOVED, share: 3 },
    'way-in comes back within 5h',
    'closes..closes+1.5d new-address',
  ],
  'bounces-on-eve-arrives-again': [
    { share: 2 },
    'way-in comes back within 5h',
    'closes+0.5d office address-works',
  ],
} as const satisfies Record<string, readonly [Facts, ...Happening[]]>;

export type LifeName = keyof typeof rows;
export const lifeNames = Object.keys(rows) as LifeName[];

/** Everybody's life, and what comes of it. Sums are literals: no code of the product calculates them. */
export const LIVES = Object.fromEntries(lifeNames.map((name) => [name, lifeOf(rows[name])])) as Readonly<
  Record<LifeName, Life>
>;

interface Dated {
  begins: When;
  life: Life;
}

/** The lives of those whose worker is away for forty days, over the due date, and once more over the retreat's end. */
export const AWAY_LIVES = {
  /** Told in time: she is charged when the worker is back. */
  'told-before': { begins: 'opens', life: lifeOf([{ letters: 'notice paid' }]) },
  'registered-meanwhile': { begins: 'notice+1.5d', life: lifeOf([ASKED]) },
  /** Her refund depends on the moment in which she cancelled, however late the worker makes it. */
  'cancels-meanwhile': {
    begins: 'opens',
    life: lifeOf([
      { ...PAYS_CANCELS, letters: 'notice office-cancel cancelled', maybe: 'received' },
      ...(['charge-2h pay-now', 'charge-1h cancel'] as const),
    ]),
  },
  /** Due while the worker is away again: the office is told. */
  'due-too-late': { begins: 'notice+38d', life: lifeOf([{ ...DUE, letters: 'notice' }]) },
} satisfies Record<string, Dated>;

/** The lives of registrants of two editions, where nothing else goes wrong. */
export const LIVES_OF_BOTH = {
  charged: lifeOf([{}]),
  declined: LIVES['declined-once'],
  pays: lifeOf([PAYS, 'notice+1d pay-now']),
  cancels: lifeOf([{ ...PAYS_CANCELS, back: 'policy' }, 'notice+1d pay-now', 'notice+2d cancel']),
  'without-consent': LIVES['no-consent'],
};
/** She registers after the reminder of the others: less than four days before their charge. */
export const LATE_OF_BOTH = lifeOf([{ letters: 'notice paid' }]);
