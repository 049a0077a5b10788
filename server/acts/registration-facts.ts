import { isRefundOrdered, refundAt, undoUntil, workedOffFrom } from '#server/record/cancel-plan.ts';
import { isPlanAgreed } from '#server/record/charge-plan.ts';
import type { Decision } from '#server/record/decisions.ts';
import { callsToMake } from '#server/record/notes.ts';
import { balanceOfRecord, isRestByCheck, sumByCard } from '#server/record/owed.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import {
  chargeMomentOf,
  lastDecline,
  nextTryAt,
  owedByCheck,
  owingStates,
  type RegistrationState,
  stateOf,
} from '#server/record/registration-state.ts';
import { nameCard } from '#shared/content/card-words.ts';
import { formatDateRange } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import { bounceWords } from './bounce-words.ts';
import { chargeWords } from './charge-words.ts';
import { signed } from './notes.ts';
import { planRows } from './payment-plan.ts';
import { billingWords, correctedDetails, moment, partWords, WITHHELD_WORDS } from './plain-words.ts';

/** The state of a registration, as pairs of a label and words. */
export function registrationFacts(record: RegistrationRecord, now: Date): [name: string, words: string][] {
  const state = stateOf(record, now);
  const { id, edition, registrant, namesBefore, agreement, depositCents, disputed } = record;
  const { facts } = edition;
  return [
    ['Registration', id],
    ['Edition', `${facts.id}: ${facts.title}, ${formatDateRange(facts.startDate, facts.endDate)}`],
    [
      'Registrant',
      `${registrant.firstName} ${registrant.lastName}${namesBefore ? `, before: ${namesBefore}` : ''}`,
    ],
    ['E-mail', registrant.email],
    ['Phone', registrant.phoneNumber],
    ['Time zone', registrant.timeZone],
    ['Billing address', billingWords(record) ?? 'none on record'],
    ['State', disputed ? `${state}, disputed: nothing is charged or refunded automatically` : state],
    ['Agreed to', agreement ? `terms version ${agreement.version}` : 'nothing on record'],
    ['Deposit', depositCents > 0 ? `${formatCents(depositCents)} paid` : 'not paid'],
    ['Balance', balanceWords(record, state)],
    ...planFacts(record),
    ['Card', record.card ? nameCard(record.card) : 'none on file'],
    ['Told of the charge', noticeWords(record)],
    ...lettersFacts(record),
    ['Tries', triesWords(record, state)],
    ['Charged automatically', chargeWords(record, now)],
    ...givenBackFacts(record, state),
    ...callsToMake(record).map((note): [string, string] => ['Call her back', signed(note, record)]),
  ];
}

/** What is left to pay, or why nothing is left. */
function balanceWords(record: RegistrationRecord, state: RegistrationState): string {
  if (['begun', 'lapsed', 'closed'].includes(state)) return 'none before the deposit is paid';
  if (state === 'settled') return 'nothing is left to pay';
  if (state === 'second-payment') return `held: she had paid ${record.secondOf} before`;
  if (!owingStates.includes(state)) return 'cancelled: nothing more is charged';
  const { byCardCents, byCheckCents } = balanceOfRecord(record);
  const sum = isRestByCheck(record)
    ? `${formatCents(byCheckCents)} by check`
    : `${formatCents(byCardCents)} by card`;
  const dueAt = chargeMomentOf(record);
  if (record.part) return `${sum}, ${partWords(record.part)}, due ${moment(dueAt, record)}`;
  return dueAt < new Date(record.edition.facts.endsAt)
    ? `${sum}, due ${moment(dueAt, record)}`
    : `${sum}, to be asked for: the retreat is over before it could be charged`;
}

function planFacts(record: RegistrationRecord): [string, string][] {
  const { plan, planAgreed, check } = record.decisions;
  if (!plan || check) return [];
  const agreed =
    isPlanAgreed(record) && planAgreed ? `agreed on ${moment(planAgreed.at, record)}` : 'not agreed';
  return [
    ['Payment plan', [agreed, plan.paused && 'paused'].filter(Boolean).join(', ')],
    ...planRows(record),
  ];
}

/** The charge of which she was last notified. */
function noticeWords(record: RegistrationRecord): string {
  const { noticed } = record;
  if (!noticed) return 'not yet';
  return `${formatCents(noticed.cents)} on ${moment(noticed.dueAt, record)}`;
}

function lettersFacts(record: RegistrationRecord): [string, string][] {
  const words = bounceWords(record) ?? WITHHELD_WORDS[record.letters['registration-received'] ?? ''];
  return words === undefined ? [] : [['Letters', words]];
}

/** How often her card was tried, and when it is retried. */
function triesWords(record: RegistrationRecord, state: RegistrationState): string {
  const { tries = 0, decline } = record.balance ?? {};
  if (tries === 0) return 'none';
  if (!owingStates.includes(state)) return String(tries);
  const last = lastDecline(record);
  if (!decline || !last) return `${tries}; it is tried again as soon as the site gets to it`;
  const next = nextTryAt(record);
  return `${tries}, the last one declined: ${last.code}; ${next ? `tried again ${moment(next, record)}` : 'not tried again'}`;
}

/** Facts about refunds, cancellation, checks, disputes and corrections. */
function givenBackFacts(record: RegistrationRecord, state: RegistrationState): [string, string][] {
  const { decisions, addressAsked, forgottenAt } = record;
  const { refund, checkSent } = decisions;
  const { lost } = decisions.disputeOver ?? {};
  const owed = owedByCheck(record);
  const [until, from] = [undoUntil(record), workedOffFrom(record)];
  const facts: [string, string | false | undefined][] = [
    ['Given back', formatCents(sumByCard(record.refunds))],
    ['Lost in a dispute', lost && formatCents(lost.deposit + lost.balance)],
    ['Cancelling', state === 'cancelling' && until && from && cancellingWords(record, until, from)],
    ['Exception', refund && exceptionWords(record, refund)],
    ['Owed by check', owed > 0 && formatCents(owed)],
    ['Check sent', checkSent && `${formatCents(checkSent.cents)} on ${moment(checkSent.sentAt, record)}`],
    ['Checks before it', checkSent?.sentBefore !== undefined && formatCents(checkSent.sentBefore)],
    ['Dispute over', decisions.disputeOver && moment(decisions.disputeOver.at, record)],
    ...correctedDetails(record).map(({ detail, was }): [string, string] => [`Earlier ${detail}`, was]),
    ['New e-mail', addressAsked && `${addressAsked.to}, not confirmed yet`],
    ['Forgotten', forgottenAt && moment(forgottenAt, record)],
  ];
  return facts.flatMap(([name, words]) => (words ? [[name, words]] : []));
}

function cancellingWords(record: RegistrationRecord, until: Date, from: Date): string {
  const { cancel } = record.decisions;
  const { byCardCents, byCheckCents } = refundAt(record, cancel?.writtenAt ?? from);
  const back = `${formatCents(byCardCents)} by card and ${formatCents(byCheckCents)} by check go back`;
  return `can be taken back until ${moment(until, record)}; ${back} after ${moment(from, record)}`;
}

function exceptionWords(record: RegistrationRecord, { cents, reason, by, at }: Decision<'refund'>): string {
  const done = isRefundOrdered(record) ? 'not carried out yet' : 'carried out';
  return `${formatCents(cents)}: ${reason} (${by}, ${moment(at, record)}), ${done}`;
}
