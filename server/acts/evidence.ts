import { goesToOffice, letterName } from '#server/mail/job.ts';
import type { RecordedLetter } from '#server/mail/letter-log.ts';
import { HERSELF, HOW_AGREED } from '#server/record/acts.ts';
import { isLost } from '#server/record/bounces.ts';
import { balanceTermsOf } from '#server/record/card-on-file.ts';
import type { Decision } from '#server/record/decisions.ts';
import type { Agreement } from '#server/record/on-record.ts';
import { depositByCardOf, leftToPay, noticesOf, paidBalances } from '#server/record/owed.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { nameCard } from '#shared/content/card-words.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { asAgreed } from '#shared/content/tuition.ts';
import { formatDateRange } from '#shared/dates.ts';
import { formatCents, onWays } from '#shared/money.ts';
import { type ActContext, findRegistrationOf } from './act.ts';
import { disputeWords } from './cancelling-acts.ts';
import { type FoundJob, jobsOfPayment } from './mail-jobs.ts';
import { correctionWords, utcMoment as moment, printable } from './words.ts';

type Lines = readonly string[];

/**
 * Everything on record about a registration that a bank may ask for in a dispute, to be pasted: who, what, payments,
 * the terms with their text and the time of her consent, letters, and what cannot be proven.
 */
export async function evidence(context: ActContext, paymentIntentId: string): Promise<string> {
  const record = await findRegistrationOf(context, paymentIntentId);
  const letters = await jobsOfPayment(context, record.id);
  const sections: readonly (readonly [title: string, lines: Lines])[] = [
    ['Who registered', whoLines(record)],
    ['What was bought', boughtLines(record)],
    ['Payments and refunds', moneyLines(record)],
    ['What she agreed to', agreementLines(record)],
    ['Letters to her', letterEvidence(record, letters)],
    ['What she did on her own page', pageLines(record)],
    ['What is not on record', NOT_ON_RECORD],
  ];
  const heading = `Registration ${record.id}, as it stands on ${moment(await context.now())}`;
  const texts = sections.map(([title, lines]) => [title.toUpperCase(), ...lines.map(printable)].join('\n'));
  return [heading, ...texts].join('\n\n');
}

const NOT_ON_RECORD: Lines = [
  'Whether she read a letter: a mail server took it, or did not.',
  'When she opened her page, and whether she took part in the retreat.',
  'The address on the network from which she paid: Stripe shows it with the charge, and whether the bank confirmed postal code and security code.',
];

function whoLines(record: RegistrationRecord): Lines {
  const { registrant, customerId, handedOver, forgottenAt } = record;
  if (forgottenAt) return [`Her personal data were removed on ${moment(forgottenAt)}: they cannot be shown.`];
  const { firstName, lastName, email, phoneNumber, timeZone } = registrant;
  return [
    `Name: ${firstName} ${lastName}`,
    `E-mail: ${email}`,
    `Phone: ${phoneNumber}`,
    `Time zone: ${timeZone || 'not told'}`,
    `Customer at Stripe: ${customerId ?? 'none'}`,
    ...(handedOver
      ? [
          `She has the place since ${moment(handedOver.at)}, by the agreement of both; what was paid before was paid by ${handedOver.firstName} ${handedOver.lastName}, ${handedOver.email}, ${handedOver.phoneNumber}.`,
        ]
      : []),
    ...correctionWords(record).map(
      ({ detail, at, by, was }) => `Until ${moment(at)} her ${detail} was ${was}; corrected by ${by}.`,
    ),
  ];
}

function boughtLines(record: RegistrationRecord): Lines {
  const { edition, agreed, begunAt, depositDueCents, depositCents } = record;
  const { title, subtitle, startDate, endDate, retreatPackage, prices } = asAgreed(edition, agreed).facts;
  const isByCard = record.deposit === 'paid' && depositDueCents === undefined;
  const atOnce = isByCard ? depositCents : depositByCardOf(record);
  return [
    `${title}: ${subtitle}`,
    `Held ${formatDateRange(startDate, endDate)}, online`,
    `${retreatPackage.title}, ${formatCents(atOnce + prices.balanceCents)} by card in two payments: ${formatCents(atOnce)} at once and ${formatCents(prices.balanceCents)} later`,
    `She began to register on ${moment(begunAt)}.`,
  ];
}

function moneyLines(record: RegistrationRecord): Lines {
  const { id, depositCents, depositDueCents, paidAt, depositCard, refunds, disputes, decisions, received } =
    record;
  const { cancel, checkSent, withdrawn } = decisions;
  const paid = paidBalances(record);
  const isLeft = leftToPay(record).beforeFeeCents > 0;
  const undone = withdrawn.find(({ kind }) => kind === 'cancel');
  const paidWith = (card?: { brand: string; last4: string }) => (card ? ` with her ${nameCard(card)}` : '');
  const lines = [
    paidAt
      ? depositDueCents === undefined
        ? `Deposit: ${formatCents(depositCents)} on ${moment(paidAt)}${paidWith(depositCard)}, payment ${id}`
        : `Deposit: ${formatCents(depositCents)} on ${moment(paidAt)}, without a card`
      : `Deposit: not paid, payment ${id}`,
    ...paid.map(
      (one) =>
        `Balance: ${formatCents(one.cents)} on ${moment(one.paidAt)}${paidWith(one.paidWith)}, payment ${one.id}`,
    ),
    ...(isLeft
      ? [`Balance: ${received.counting.length + paid.length > 0 ? 'not paid in full' : 'not paid'}`]
      : paid.length > 0
        ? []
        : [`Balance: ${received.counting.length > 0 ? 'paid without a card' : 'waived'}`]),
    ...received.counting.map(
      ({ way, cents, on, number }) =>
        `Received by ${way}${number === undefined ? '' : ` ${number}`}: ${formatCents(cents)} on ${moment(on)}`,
    ),
  ];
  if (cancel)
    lines.push(
      `She cancelled ${cancel.onPage ? 'on her page' : 'in writing'} on ${moment(cancel.writtenAt)}.`,
    );
  else if (undone) lines.push(`A cancellation was taken back on ${moment(undone.at)}, by ${undone.by}.`);
  else lines.push('She has not cancelled.');
  for (const { id: refund, of, cents, at, status } of refunds)
    lines.push(`Refund of the ${of}: ${formatCents(cents)} on ${moment(at)}, ${status}, ${refund}`);
  if (refunds.length === 0) lines.push('Nothing was refunded.');
  if (checkSent)
    lines.push(`A check of ${formatCents(checkSent.cents)} was sent to her on ${moment(checkSent.sentAt)}.`);
  if (checkSent?.sentBefore)
    lines.push(`Before that, checks brought her ${formatCents(checkSent.sentBefore)}.`);
  return [...lines, ...disputes.map((one) => `Dispute: ${disputeWords(one, record)}`)];
}

/** The text of the terms as it is recorded: values that come from the office's configuration are shown in braces. */
function agreementLines({ agreementBefore, ...record }: RegistrationRecord): Lines {
  const { agreement, handedOver, decisions } = record;
  const plan = planLines(decisions.planAgreed, record);
  if (!handedOver) return [...plan, ...consentLines(agreement, record, 'Before she paid')];
  const before = agreementBefore
    ? consentLines(agreementBefore, record, 'Before the deposit was paid, by her who had the place,')
    : [];
  return [...plan, ...before, '', ...consentLines(agreement, record, 'When she accepted the place')];
}

function planLines(
  agreed: Decision<'planAgreed'> | undefined,
  record: Omit<RegistrationRecord, 'agreementBefore'>,
): Lines {
  if (!agreed) return [];
  const { at, by, how, on, parts } = agreed;
  const { handedOver } = record;
  const who = handedOver && at < handedOver.at ? 'She who had the place before' : 'She';
  const sums = parts.map(({ cents, dueAt }) => `${formatCents(cents)} on ${moment(dueAt)}`).join('; ');
  const fee = onWays(balanceTermsOf(record).prices, ', without the card fee');
  const said =
    how && on
      ? `${who} agreed to a payment plan ${HOW_AGREED[how]} on ${moment(on)}; ${by} of the retreat office recorded that on ${moment(at)}`
      : `${who} agreed to a payment plan on her page on ${moment(at)}`;
  return [`${said}. Its parts${fee}: ${sums}.`];
}

function consentLines(
  agreement: Agreement | undefined,
  { edition }: Pick<RegistrationRecord, 'edition'>,
  when: string,
): Lines {
  if (!agreement)
    return [
      'It is not on record that she agreed to the terms: this cannot be proven. Her browser ran an older page.',
    ];
  const { version, digest, agreedAt, spoken } = agreement;
  const terms = edition.agreed.find((one) => one.version === version && one.digest === digest);
  const lines = [
    spoken
      ? `She agreed to version ${version} of the policies ${HOW_AGREED[spoken.how]} on ${moment(spoken.on)}; ${spoken.by} of the retreat office recorded that on ${moment(agreedAt)}.`
      : `${when} she ticked that she agrees to version ${version} of the policies, on ${agreedAt.toISOString()} by the clock of the site. The page takes no payment without the tick.`,
    `Fingerprint of the text (SHA-256), recorded in that moment: ${digest}`,
  ];
  if (!terms)
    return [
      ...lines,
      'This release does not hold a text with this fingerprint: look for it in an older one.',
    ];
  return [
    ...lines,
    `The site shows this version at ${termsPathOf(edition.facts, terms)}. The text, in which words in braces stand for the ways to reach the office:`,
    ...terms.policies.flatMap(({ title, paragraphs }) => ['', title, ...paragraphs]),
  ];
}

function pageLines({ givenCard, decisions, corrections, balance }: RegistrationRecord): Lines {
  const { cancel, withdrawn } = decisions;
  const did: [Date, string][] = [];
  if (givenCard) did.push([givenCard.since, `gave another card, her ${nameCard(givenCard)}`]);
  if (balance?.payingSince) did.push([balance.payingSince, 'began to pay the balance']);
  if (cancel?.onPage) did.push([cancel.at, 'cancelled']);
  for (const { kind, at, by } of withdrawn) if (by === HERSELF) did.push([at, `took back: ${kind}`]);
  for (const was of Object.values(corrections))
    if (was.by === HERSELF) did.push([was.at, `corrected what was ${was.was}`]);
  if (did.length === 0) return ['Nothing is on record.'];
  const inOrder = did.toSorted(([one], [other]) => one.getTime() - other.getTime());
  return inOrder.map(([at, what]) => `${moment(at)}: ${what}`);
}

/**
 * What is known about the letters to a registrant, the oldest first: from the queue, and of older ones when they were
 * sent.
 */
function letterEvidence(record: RegistrationRecord, jobs: readonly FoundJob[]): readonly string[] {
  const letters = jobs.flatMap(({ letter, ...found }) =>
    letter && !goesToOffice(letter) ? [{ ...found, letter }] : [],
  );
  const known = letters
    .toSorted((one, other) => one.job.timestamp - other.job.timestamp)
    .map((found) => `${subjectOf(found.letter)}: ${deliveryWords(found)}`);
  const names = new Set<string>(
    letters.filter(({ state }) => state === 'sent').map(({ letter }) => letterName(letter)),
  );
  const older = record.endedLetters
    .filter((one) => one.state === 'sent' && !goesToOffice(one) && !names.has(letterName(one)))
    .map(({ kind, at }) => `${kind}: a mail server took it on ${moment(at)}`);
  const announced = noticesOf(record)
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
    .map((notice) => {
      const { at, cents, dueAt } = notice;
      const lost = isLost(notice, record.bounced)
        ? ' It may not have arrived: letters to that address came back.'
        : '';
      return `On ${moment(at)} a mail server took the letter that announced a charge of ${formatCents(cents)} on ${moment(dueAt)}.${lost}`;
    });
  const none = 'No letter is on record that announced a charge of the balance.';
  return [...older, ...known, ...(announced.length > 0 ? announced : [none])];
}

function subjectOf({ kind, address }: RecordedLetter): string {
  return address === '' ? kind : `${kind} to ${address}`;
}

function deliveryWords({ job, letter, state }: FoundJob): string {
  if (state === 'sent')
    return `a mail server took it on ${moment(letter?.endedAt ?? new Date(job.finishedOn ?? job.timestamp))}`;
  if (state === 'failed') return `it could not be delivered: ${job.failedReason || 'no reason is on record'}`;
  return 'it has not been sent yet';
}
