import { obstacleWords, declineWords as reasons } from '#server/letters/office-digest-words.ts';
import { declineWords, moment, partWords, whenCharged } from '#server/office/words.ts';
import {
  isNoticed,
  isRestByCheck,
  leftToPay,
  nextInstallment,
  owedByCheck,
  type RegistrationRecord,
  type Summary,
  statement,
  summary,
  surplusLeft,
  undoUntil,
  workedOffFrom,
} from '#server/registration/registration.ts';
import { monthOfExpiry, nameCard } from '#shared/content/card-words.ts';
import { type BackLine, type PaymentLine, type StatementLine, titleOfPart } from '#shared/content/tuition.ts';
import { formatDateRange } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';

type State<Kind extends Summary['state']['kind']> = Extract<Summary['state'], { kind: Kind }>;

export function standingOf(record: RegistrationRecord, now: Date): readonly string[] {
  const shown = summary(record, now);
  const owed = owedByCheck(record);
  return [
    record.forgottenAt ? `Her personal data were removed on ${moment(record.forgottenAt, record)}.` : '',
    record.disputed ? disputedSentence(record) : '',
    ...stateSentences(record, shown, now),
    record.paidTwice ? twiceSentence(record.paidTwice) : '',
    shown.handOver ? handOverSentence(shown.handOver, record) : '',
    surplusLeft(record) > 0 ? 'She has paid more than was left to pay.' : '',
    owed > 0 ? `A check of ${formatCents(owed)} is to be sent to her.` : '',
  ].filter((words) => words !== '');
}

function disputedSentence(record: RegistrationRecord): string {
  const open = record.disputes.flatMap(({ isOver, evidenceDue }) => (isOver ? [] : (evidenceDue ?? [])));
  const [due] = open.toSorted((one, other) => one.getTime() - other.getTime());
  const until = due ? ` until ${moment(due, record)}` : '';
  return `Her bank has taken a payment into dispute: nothing is charged or given back automatically. Answer it in Stripe’s dashboard${until}; this page, printed, helps.`;
}

function twiceSentence({ other, isYounger }: NonNullable<RegistrationRecord['paidTwice']>): string {
  const which = isYounger ? 'this one' : 'the other';
  return `Paid twice? The place ${other} has the same name and address: give one of them back whole, or record that these are two people. Until then nothing is charged for ${which}.`;
}

function handOverSentence(
  { name, email, isAgreed, until }: NonNullable<Summary['handOver']>,
  record: RegistrationRecord,
): string {
  const waits = isAgreed
    ? 'She has agreed, and it waits for the other one to accept'
    : 'It waits for her to agree on her page';
  return `Her place is to be handed over to ${name}, ${email}. ${waits}; it can be done until ${moment(until, record)}.`;
}

function stateSentences(record: RegistrationRecord, shown: Summary, now: Date): readonly string[] {
  const { state } = shown;
  switch (state.kind) {
    case 'begun':
      return ['She has begun to register, and has not paid the deposit yet. She can pay it on the site.'];
    case 'lapsed':
      return [lapsedSentence(record)];
    case 'closed':
      return ['Her registration was closed before she paid. She has no place, and nothing is charged.'];
    case 'held':
      return [state.isOver ? lapsedSentence(record) : heldSentence(state, record)];
    case 'settled':
      return ['She has a place, and everything is paid.'];
    case 'cancelling':
      return cancellingSentences(record, state, now);
    case 'cancelled':
      return ['She has cancelled: nothing more is charged.'];
    default:
      return [state.kind === 'action-needed' ? '' : trySentence(record), balanceSentence(record, shown, now)];
  }
}

function lapsedSentence(record: RegistrationRecord): string {
  return `She began to register on ${moment(record.begunAt, record)} and left the deposit unpaid. She has no place; she can still pay it.`;
}

function heldSentence(
  { way, until, cents, beforeFeeCents }: State<'held'>,
  record: RegistrationRecord,
): string {
  const left = formatCents(way === 'card' ? cents : beforeFeeCents);
  return `A place is held for her until ${moment(until, record)}. ${left} of the deposit is to come by ${way}.`;
}

/** What has come of trying her card, while it is still tried. */
function trySentence(record: RegistrationRecord): string {
  const { decline, tries } = nextInstallment(record);
  if (decline) return `Her card was declined for the balance: ${declineWords(decline.code)}.`;
  return tries > 0 ? 'Her card is being charged for the balance, and her bank has not answered yet.' : '';
}

function balanceSentence(record: RegistrationRecord, { state, obstacle }: Summary, now: Date): string {
  if (isRestByCheck(record)) {
    const left = formatCents(leftToPay(record).beforeFeeCents);
    return `She pays ${left} by check or transfer, which has not come yet.`;
  }
  if (!obstacle && state.kind !== 'action-needed') return chargedSentence(record, now);
  const why = obstacle
    ? obstacleWords[obstacle]
    : `her card was refused (${'reason' in state && reasons[state.reason]}); she can pay, or give another card, on her page`;
  return `The site does not charge her card automatically: ${why}.`;
}

function chargedSentence(record: RegistrationRecord, now: Date): string {
  const next = nextInstallment(record);
  const what = formatCents(next.left.byCardCents);
  const card = record.card ? ` to her ${nameCard(record.card)}` : '';
  const told = isNoticed(record, next) ? '' : ', once she was told of it three days before';
  const of = next.part ? `, ${partWords(next.part)},` : '';
  return `The site charges ${what}${of}${card} automatically, ${whenCharged(record, now)}${told}.`;
}

function cancellingSentences(
  record: RegistrationRecord,
  { cancelled, refund }: State<'cancelling'>,
  now: Date,
): readonly string[] {
  const [until, from] = [undoUntil(record), workedOffFrom(record)];
  if (!until || !from) return ['All of it goes back to her, as soon as the site gets to it.'];
  const cardCents = refund.cents - refund.checkCents;
  const back =
    cardCents > 0
      ? `${formatCents(cardCents)} goes back to her card`
      : refund.checkCents > 0
        ? `${formatCents(refund.checkCents)} goes back by check`
        : 'Nothing goes back';
  const carriedOut = now < from ? 'it is carried out after' : 'it was to be carried out after';
  return [
    `She has cancelled${cancelled.onPage ? ' on her page' : ''} as of ${moment(cancelled.at, record)}.`,
    `${now < until ? 'This can' : 'It could'} be taken back until ${moment(until, record)}.`,
    `${back}: ${carriedOut} ${moment(from, record)}${now < from ? '' : ', and is not yet'}.`,
  ];
}

/** One line of a registration's money: what it is, its state, and the amount (US cents; what goes back is negative). */
interface MoneyLine {
  what: string;
  how: string;
  cents: number;
}

export function moneyLines(record: RegistrationRecord, now: Date): readonly MoneyLine[] {
  return statement(record).map((line) => {
    const [what, how] = wordsOf(line, record, now);
    return { what, how, cents: line.what === 'refund' && line.status === 'failed' ? 0 : line.cents };
  });
}

type LineWords = readonly [what: string, how: string];

function wordsOf(line: StatementLine, record: RegistrationRecord, now: Date): LineWords {
  const { by = '', reason } = record.decisions.waived ?? {};
  switch (line.what) {
    case 'deposit':
    case 'balance':
      return paymentWords(line, record, now);
    case 'scholarship':
    case 'reduction': {
      const how = [`by ${by} on ${moment(line.at, record)}`, reason].filter(Boolean).join(': ');
      return [line.what === 'scholarship' ? 'Scholarship' : 'Waived', how];
    }
    default:
      return backWords(line, record);
  }
}

function paymentWords(line: PaymentLine, record: RegistrationRecord, now: Date): LineWords {
  const { what, way, status, part, card, reference } = line;
  const at = moment(line.at, record);
  const of = what === 'deposit' ? 'Deposit' : part ? `${titleOfPart(part)} of the balance` : 'Balance';
  const comes = what === 'deposit' ? 'to come' : 'to be paid';
  const due = what === 'deposit' ? ` until ${at}` : `, due ${line.at > now ? 'on' : 'since'} ${at}`;
  const isAsked = what === 'balance' || record.decisions.held !== undefined;
  if (status === 'due') return [of, isAsked ? `${comes} by ${way}${due}` : 'not paid'];
  if (way === 'card') return [of, `paid on ${at} ${card ? `with her ${nameCard(card)}` : 'by card'}`];
  return [of, `by ${[way, reference].filter(Boolean).join(' ')}, which came on ${at}`];
}

function backWords(line: BackLine, record: RegistrationRecord): LineWords {
  const { what, of = 'balance', status, cents } = line;
  const at = moment(line.at, record);
  if (what === 'dispute') return [`Dispute of the ${of}`, `taken back by her bank on ${at}`];
  if (what === 'check')
    return ['Check to her', status === 'paid' ? `sent on ${at}` : 'owed, and not sent yet'];
  const refund = `Refund of the ${of}`;
  const { by = '', reason = '' } = record.decisions.refund ?? {};
  switch (status) {
    case 'ordered':
      return ['Exception', `decided by ${by} on ${at}, not carried out yet: ${reason}`];
    case 'pending':
      return [refund, `on its way since ${at}`];
    case 'paid':
      return [refund, `went back on ${at}`];
    case 'failed':
      return [refund, `${formatCents(0 - cents)} was not taken by her bank on ${at}`];
  }
}

/** Her card, and what she bought: names with their words, which are empty where there is nothing. */
export function purchaseOf({
  registrant,
  edition,
  card,
}: RegistrationRecord): readonly (readonly [string, string])[] {
  const { title, startDate, endDate } = edition.facts;
  const expiry = card && monthOfExpiry(card);
  return [
    ['Retreat', `${title}, ${formatDateRange(startDate, endDate)}`],
    ['Card on file', card ? `${nameCard(card)}${expiry ? `, valid until ${expiry}` : ''}` : ''],
    ['Time zone', registrant.timeZone],
  ];
}
