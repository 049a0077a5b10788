import type { Announcements } from '#server/letters/announcements.ts';
import { viewOf } from '#server/own-page/own-page-view.ts';
import {
  addressDigest,
  type BalancePayment,
  type Decline,
  HERSELF,
  type RefundOnRecord,
} from '#server/registration/registration.ts';
import { actName } from '#server/testing/recorded-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import type { OwnPageView } from '#shared/content/own-page-view.ts';
import type { OfficeContact } from '#shared/page.ts';
import { wilma } from './sample-people.ts';
import { askingEdition, testQuestions } from './test-editions.ts';
import { BEGUN, balance, type Changes, recordWith, refund, withCheck } from './test-registrations.ts';

export const testOffice: OfficeContact = {
  officeEmail: 'retreats@office.example',
  officePhone: '+1 (555) 010-0199',
  officeFax: null,
  officePostalAddress: '1 Example Street, Sampletown, CA 95060',
  officeLegalName: 'Sample Retreats LLC',
};

const { version, digest } = edition.terms;
const agreement = { version, digest, agreedAt: BEGUN };
const visa = { brand: 'visa', last4: '4242' };
const card = { id: 'pm_1', ...visa, expMonth: 8, expYear: 2027, since: BEGUN };
const { id: _, ...registrant } = wilma;

const welcome: OwnPageView['letters'][number] = {
  kind: 'welcome',
  state: 'sent',
  subject: 'Welcome',
};
const notice: OwnPageView['letters'][number] = {
  kind: 'balance-notice',
  state: 'waiting',
  subject: 'The balance will be charged',
};

interface Beside extends Partial<Pick<OwnPageView, 'told' | 'letters'>> {
  announced?: Announcements;
}

/** A moment in the retreat's time zone, in winter. */
const pacific = (moment: string): Date => new Date(`${moment}:00-08:00`);

const SOON = pacific('2025-12-02T10:00');

/** The page of a registrant whose balance is charged in three weeks, with changes. */
function pageOf(changes: Changes = {}, now = SOON, beside: Beside = {}): OwnPageView {
  const record = recordWith({
    id: 'reg_3QWilmaDeposit000000',
    registrant,
    agreement,
    card,
    depositCard: visa,
    ...changes,
  });
  return viewOf(record, now, {
    mayAct: true,
    token: 'token-against-forgery',
    secondFactor: 'postal-code',
    letters: [welcome, notice],
    ...beside,
  });
}

/** The same page with changes that no record leads to. */
export const testView = (changes: Partial<OwnPageView> = {}): OwnPageView => ({ ...pageOf(), ...changes });

const dueAt = new Date(edition.facts.balance.chargeAt);
const later = pacific('2025-12-22T10:00');
const inRetreat = pacific('2026-01-22T09:00');
const afterwards = pacific('2026-02-01T10:00');
const by = { at: BEGUN, by: 'Anna' };
const announced = { room: { ...by, url: 'https://video.example/room' } };

const to = addressDigest(registrant.email);
const noticed = { at: pacific('2025-12-10T17:00'), dueAt, cents: 72_625, to };
const byCard = (changes: Partial<BalancePayment> = {}): Changes => ({
  balances: [
    balance({
      id: 'pi_3QWilmaBalance000000',
      status: 'paid',
      paidAt: dueAt,
      paidWith: visa,
      ...changes,
    }),
  ],
});
const checkCame = withCheck(70_000, pacific('2025-12-15T12:00'));
/** The office holds her place until the deposit comes. */
const heldFor = (way: 'card' | 'check' | 'transfer'): Changes => ({
  deposit: 'unpaid',
  depositCents: 0,
  depositDueCents: 69_500,
  depositPayment: { id: 'pi_1', status: 'open', cents: 72_100, paidAt: null },
  card: undefined,
  decisions: { held: { ...by, way, until: pacific('2025-12-10T17:00'), cents: 69_500 } },
});
const declined = (code: string, changes: Partial<Decline>): Changes => ({
  notices: [noticed],
  balances: [balance({ tries: 1, decline: { try: 1, at: dueAt, code, card: card.id, step: 1, ...changes } })],
});
const failed = (code: string, changes: Changes = {}): OwnPageView =>
  pageOf({ ...declined(code, { final: true }), ...changes }, later);
const postponed = (until: string) => ({ postponed: { ...by, until: pacific(until) } });

/** The office has divided her balance into three parts, to which she agreed. */
const firstDueAt = pacific('2025-12-10T17:00');
const parts = [
  { number: 1, cents: 23_334, dueAt: firstDueAt },
  { number: 2, cents: 23_333, dueAt },
  { number: 3, cents: 23_333, dueAt: pacific('2026-01-10T17:00') },
];
const plan = { ...by, parts };
const planAgreed = { at: SOON, by: HERSELF, parts };
const ofPart = { number: 1, cents: 24_209, beforeFeeCents: 23_334 };
const firstPaid: Changes = {
  decisions: { plan, planAgreed },
  balances: [
    balance({ ...ofPart, id: 'pi_3QWilmaPart1', status: 'paid', paidAt: firstDueAt, paidWith: visa }),
  ],
};
const firstNoticed = { at: SOON, dueAt: firstDueAt, cents: 24_209, to, number: 1 };
/** Her card was declined for good when the first part was due. */
const firstMissed: Changes = {
  decisions: { plan, planAgreed },
  notices: [firstNoticed],
  balances: [
    balance({
      ...ofPart,
      id: 'pi_3QWilmaPart1',
      tries: 1,
      decline: { try: 1, at: firstDueAt, code: 'generic_decline', card: card.id, step: 1, final: true },
    }),
  ],
};
/** Another card paid it then on her page; the card on file is still the one that was refused. */
const firstPaidOtherwise: Changes = {
  decisions: { plan, planAgreed },
  balances: (firstMissed.balances ?? []).map((missed) => ({
    ...missed,
    status: 'paid',
    paidAt: firstDueAt,
    paidWith: { brand: 'mastercard', last4: '4444' },
  })),
};
const betweenParts = pacific('2025-12-12T10:00');

/** She cancels in the last minutes of the day of the charge, or the office records that she wrote. */
const lateThatDay = pacific('2025-12-21T23:58');
const onPage = { at: lateThatDay, by: HERSELF, writtenAt: lateThatDay, onPage: true } as const;
const inWriting = { at: lateThatDay, by: 'Anna', writtenAt: pacific('2025-12-18T12:00') };
const wholeBack = { ...by, writtenAt: BEGUN, whole: true } as const;
const tooLate = { at: later, by: 'Anna', writtenAt: later };
/** She has paid her balance by card. */
const cancelledOnPage: Changes = { ...byCard(), decisions: { cancel: onPage } };
const cancelledTooLate: Changes = { ...byCard(), decisions: { cancel: tooLate } };
const repaidAt = pacific('2025-12-23T01:00');
const workedOff = (cents: number, checkCents = 0) => ({ at: repaidAt, cents, checkCents });
const repaid = (status: RefundOnRecord['status']): Changes => ({
  ...cancelledOnPage,
  cancelled: { ...workedOff(70_000), refund: status },
  refunds: [
    refund({
      status,
      at: repaidAt,
      payment: 'pi_3QWilmaBalance000000',
      orderedBy: actName('cancel', onPage),
    }),
  ],
});
const wholeRepaid = (status: RefundOnRecord['status']): Changes => ({
  decisions: { cancel: wholeBack },
  cancelled: { ...workedOff(72_100), refund: status },
  refunds: [
    refund({
      of: 'deposit',
      payment: 'pi_3QWilmaDeposit000000',
      cents: 72_100,
      status,
      at: repaidAt,
      orderedBy: actName('cancel', wholeBack),
    }),
  ],
});
const afterRepaying = pacific('2025-12-23T10:00');

/** She has answered two of three questions, and one that is asked no more. */
const answered = [testQuestions.name, testQuestions.song, { id: 'room', text: 'Where will you sit?' }].map(
  ({ id, text }) => ({ question: id, asked: text, answer: 'By the window,\nwith a rug', at: BEGUN }),
);

/** Her page in each of its states, by name, at the prices that the edition has now. */
export const viewsNow = (): Readonly<Record<string, OwnPageView>> => ({
  'charged-later': pageOf(),
  'charged-later-postponed': pageOf({ decisions: postponed('2026-01-05T17:00') }),
  'charged-later-card-expires': pageOf({
    card: { ...card, brand: 'mastercard', last4: '4444', expMonth: 11, expYear: 2025 },
  }),
  'to-pay': pageOf({
    bounced: { at: BEGUN, to },
    decisions: postponed('2026-01-15T17:00'),
  }),
  'to-pay-began': pageOf(
    { notices: [noticed], atStripe: { id: 'cs_1', until: new Date(dueAt.getTime() + 30 * 60 * 1000) } },
    dueAt,
  ),
  'by-check': pageOf({
    decisions: { check: by, ...postponed('2026-01-15T17:00') },
  }),
  'being-charged': pageOf({ notices: [noticed] }, dueAt),
  processing: pageOf({ isProcessing: true }, later),
  'held-processing': pageOf({ ...heldFor('card'), isProcessing: true }, SOON),
  retrying: pageOf(declined('insufficient_funds', { next: pacific('2025-12-24T17:00') }), later, {
    letters: [welcome, { kind: 'balance-failed', subject: 'Your card was declined', state: 'failed' }],
  }),
  'action-needed-authentication': failed('authentication_required'),
  'action-needed-expired': failed('expired_card', {
    card: { ...card, last4: '0069', expMonth: 11, expYear: 2025 },
  }),
  'action-needed-blocked': failed('stolen_card'),
  'action-needed-declined': failed('generic_decline'),
  'action-needed-card-data': failed('incorrect_cvc'),
  'settled-news': pageOf(byCard(), later, { told: 'paid' }),
  'settled-in-time': pageOf(byCard(), pacific('2025-12-21T18:00')),
  'settled-room-open': pageOf(
    { decisions: { waived: { ...by, cents: 20_000 } }, ...withCheck(50_000, dueAt) },
    inRetreat,
    { announced },
  ),
  'settled-room-without-address': pageOf(byCard(), inRetreat),
  'to-pay-test-session': pageOf({ disputed: true }, pacific('2026-01-15T17:20'), { announced }),
  'plan-to-agree': pageOf({ decisions: { plan } }),
  'plan-part-paid': pageOf(firstPaid, betweenParts),
  'plan-part-missed': pageOf(firstMissed, betweenParts),
  'plan-part-paid-with-another-card': pageOf(firstPaidOtherwise, betweenParts),
  'plan-paused': pageOf(
    { ...firstPaid, decisions: { plan: { ...plan, paused: true }, planAgreed } },
    betweenParts,
  ),
  'paid-twice': pageOf({ paidTwice: { other: 'pi_3QWilmaFirst0000000000', isYounger: true } }, SOON),
  'paid-twice-given-back': pageOf(wholeRepaid('succeeded'), afterRepaying),
  over: pageOf({}, new Date(edition.facts.endsAt)),
  'over-settled': pageOf(byCard(), afterwards),
  'over-recordings': pageOf(byCard(), afterwards, {
    announced: { recordings: { ...by, url: 'https://videos.example/retreat' } },
  }),
  'over-recordings-once-paid': pageOf({}, afterwards),
  held: pageOf(heldFor('check'), SOON),
  'held-for-a-card': pageOf(heldFor('card'), SOON),
  'held-over': pageOf(heldFor('transfer'), later),
  'settled-by-check': pageOf(checkCame, pacific('2025-12-20T10:00')),
  cancelling: pageOf(cancelledOnPage, later, { told: 'cancelled' }),
  'cancelling-unpaid': pageOf({ decisions: { cancel: onPage } }, later),
  'cancelling-check': pageOf({ decisions: { cancel: inWriting }, ...checkCame }, later),
  'cancelling-race': pageOf(
    { ...byCard({ paidAt: pacific('2025-12-21T23:59') }), decisions: { cancel: onPage } },
    later,
  ),
  'cancelling-closed': pageOf(cancelledOnPage, pacific('2025-12-23T00:30')),
  'cancelling-late': pageOf(cancelledTooLate, pacific('2025-12-23T10:30')),
  'cancelling-disputed': pageOf({ ...cancelledOnPage, disputed: true }, later),
  'cancelled-in-work': pageOf({ ...cancelledOnPage, cancelled: workedOff(70_000) }, afterRepaying),
  'cancelled-pending': pageOf(repaid('pending'), afterRepaying),
  'cancelled-refunded': pageOf(repaid('succeeded'), afterRepaying),
  'cancelled-failed': pageOf(repaid('failed'), afterRepaying),
  'cancelled-check-due': pageOf(
    { decisions: { cancel: inWriting }, ...checkCame, cancelled: workedOff(0, 70_000) },
    afterRepaying,
  ),
  'cancelled-check-sent': pageOf(
    {
      decisions: { cancel: inWriting, checkSent: { ...by, at: repaidAt, cents: 70_000, sentAt: repaidAt } },
      ...checkCame,
      cancelled: workedOff(0, 70_000),
    },
    afterRepaying,
  ),
  'cancelled-nothing': pageOf({ decisions: { cancel: onPage }, cancelled: workedOff(0) }, afterRepaying),
  'cancelled-too-late': pageOf({ ...cancelledTooLate, cancelled: workedOff(0) }, afterRepaying),
  'address-asked': pageOf({ addressAsked: { to: 'wanda@new.example', at: BEGUN } }, SOON, {
    told: 'address-asked',
  }),
  unreachable: pageOf({ bounced: { at: BEGUN, to } }),
  disputed: pageOf({ disputed: true }),
  questions: pageOf({ edition: askingEdition }),
  'questions-answered': pageOf({ edition: askingEdition, answers: answered }, SOON, {
    told: 'answers-saved',
  }),
  'questions-closed': pageOf({ edition: askingEdition, answers: answered }, inRetreat),
});
export const testViews = viewsNow();
