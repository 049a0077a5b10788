import type { MailOf } from '#server/mail/job.ts';
import type { NextPayment, PlanTold, Sums } from '#server/mail/job-facts.ts';
import { HOW_AGREED } from '#server/registration/act-kinds.ts';
import { type Installment, installmentsOf, nextInstallment, owes } from '#server/registration/balance.ts';
import {
  type ChargeObstacle,
  chargeObstacle,
  isPlanAgreed,
  onceAgreed,
} from '#server/registration/charges.ts';
import type { Decision } from '#server/registration/decisions.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { hasPlace } from '#server/registration/registration-state.ts';
import { nameCard } from '#shared/content/card-words.ts';
import type { Edition } from '#shared/content/edition.ts';
import { tellMoment } from '#shared/content/moments.ts';
import { nameOfPart, titleOfPart } from '#shared/content/tuition.ts';
import { countInWords } from '#shared/dates.ts';
import { formatCents, onWays } from '#shared/money.ts';
import { balanceFacts, paidByCard } from './balance-paid.ts';
import {
  type FactsOf,
  hoursAfter,
  isNews,
  leftSumsOf,
  placeOfPart,
  type SomeLetters,
  sampleFacts,
  samplePaymentId,
  sumsByCard,
  sumsOf,
} from './letter-kind.ts';
import { type Fact, type FactRow, factTable, heading, type Passage } from './render/letter.ts';
import { beginning, dayOf, owedWords, ownPageButton, tuitionLeft } from './render/parts.ts';

type PlanLetter = MailOf<'payment-plan'>;

/**
 * The letters about a payment plan, besides those about the charge of a part. None is true for somebody who has no place,
 * or has nothing left to pay.
 */
export const planLetters = {
  /** For two weeks after the plan was made, changed, agreed to, paused or ended, as it stands since. */
  'payment-plan': {
    name: 'A payment plan',
    subject: ({ facts }, letter) =>
      `Your payment plan for ${facts.title}${letter ? standings[letter.standing].subject(letter) : ''}`,
    factsAt(record, now, { one }) {
      const isOver = now >= new Date(record.edition.facts.endsAt);
      if (isOver || record.disputed || !hasPlace(record) || !owes(record)) return undefined;
      const { plan } = record.decisions;
      const told = plan && one.part ? standingOf(record, plan, now) : endOf(record, now);
      return told && isNews(new Date(told.at), 14, now) ? told : undefined;
    },
    says(letter, edition, context) {
      const { preheader, title, intro, follows, button } = standings[letter.standing];
      return {
        preheader: preheader(letter, edition),
        title: title(letter),
        blocks: [
          intro(letter, edition),
          factTable(planFacts(letter, edition)),
          ...follows(letter, edition),
          ownPageButton(letter, edition, context, button),
        ],
      };
    },
    samples(edition) {
      const { left, next, ...plan } = samplePlan(edition);
      const [first, ...others] = plan.parts;
      const usual = { ...plan, left, next, standing: 'to-agree' as const };
      const { at } = usual;
      const agreed = { ...usual, standing: 'agreed' as const, herAgreement: { at } };
      const paid = { ...first, paidAt: first.dueAt };
      const later = { left: sampleLeft(edition), next: sampleNext(edition) };
      const { card: _, ...withoutCard } = usual;
      return {
        usual,
        'that-has-changed': { ...usual, herAgreement: { at } },
        'without-a-card': { ...withoutCard, next: { ...next, way: 'asked' } },
        agreed,
        'agreed-on-the-phone': { ...agreed, herAgreement: { at, how: 'phone' } },
        'agreed-too-late-for-a-notice': { ...agreed, next: { ...next, way: 'announced-too-late' } },
        'changed-as-agreed': { ...agreed, ...later, parts: [paid, ...others], isChanged: true },
        paused: { ...withoutCard, ...later, parts: [paid, ...others], standing: 'paused' },
        ended: {
          at,
          parts: [],
          standing: 'ended',
          left: { ...later.left, receivedCents: 25_000 },
          next: { ...later.left, dueAt: later.next.dueAt, way: 'charged' },
        },
      };
    },
  },

  /** The receipt of one part that her card paid, until nothing is left: then there is one of everything. */
  'part-paid': {
    name: 'Receipt for a part of a payment plan',
    subject: ({ facts }, letter) =>
      `Your receipt: ${letter ? nameOfPart(letter.payment.part) : 'a part'} of your payment plan for ${facts.title}`,
    factsAt(record, now, { one }) {
      const part = placeOfPart(one);
      const { payment: paid } = one;
      if (!part || !paid?.paidAt || !hasPlace(record) || !owes(record)) return undefined;
      const payment = { ...paidByCard(record, { ...paid, paidAt: paid.paidAt }), part };
      return { at: payment.paidAt, payment, left: leftSumsOf(record), next: nextOf(record, now) };
    },
    says(letter, edition, context) {
      const { payment, left, next } = letter;
      const name = titleOfPart(payment.part);
      return {
        preheader: `${formatCents(payment.cents)} has arrived. ${nextWords(next, edition)}`,
        title: `${name} is paid. Thank you.`,
        blocks: [
          `${name} of your payment plan for ${edition.facts.title} has arrived. Please keep this e-mail: it is your receipt. You can also print it from your own page.`,
          factTable(balanceFacts(payment, edition)),
          heading('What is left'),
          factTable([leftFact(left, edition)]),
          nextParagraph(next, edition),
          ownPageButton(letter, edition, context),
        ],
      };
    },
    samples(edition) {
      const { parts, next: first, card } = samplePlan(edition);
      const { dueAt: at, ...sums } = parts[0];
      const payment = {
        by: 'card' as const,
        ...sums,
        part: first.part,
        paidAt: at,
        card,
        reference: samplePaymentId(2),
      };
      const next = sampleNext(edition);
      const usual = { at, payment, left: sampleLeft(edition), next };
      return {
        usual,
        'before-one-that-she-is-asked-for': { ...usual, next: { ...next, way: 'asked' } },
        'of-a-plan-that-is-paused': { ...usual, next: { ...next, way: 'paused' } },
      };
    },
  },
} satisfies SomeLetters;

/** How a plan stands since it was last changed, agreed to, or came to who has the place now. */
function standingOf(record: RegistrationRecord, plan: Decision<'plan'>, now: Date): FactsOf<'payment-plan'> {
  const { decisions, handedOver, card, agreement } = record;
  const planAgreed =
    handedOver && decisions.planAgreed && decisions.planAgreed.at < handedOver.at
      ? undefined
      : decisions.planAgreed;
  const dropped = decisions.withdrawn.find(({ kind }) => kind === 'planAgreed');
  const isAgreed = isPlanAgreed(record);
  const standing = plan.paused ? 'paused' : isAgreed ? 'agreed' : 'to-agree';
  return {
    at: latestOf(plan.at, planAgreed?.at, dropped?.at, handedOver?.at),
    standing,
    parts: installmentsOf(record).map(partToldOf),
    left: leftSumsOf(record),
    next: nextOf(onceAgreed(record, { at: now, by: plan.by }), now),
    herAgreement: planAgreed && agreementIn(planAgreed),
    isChanged: (planAgreed && planAgreed.at < plan.at) || undefined,
    card: card && agreement && !plan.paused ? { brand: card.brand, last4: card.last4 } : undefined,
  };
}

/** That it has ended, and what is due since. */
function endOf(record: RegistrationRecord, now: Date): FactsOf<'payment-plan'> | undefined {
  const { plan, check, withdrawn } = record.decisions;
  const ended = withdrawn.find(({ kind }) => kind === 'plan');
  if (plan || check || !ended) return undefined;
  const at = ended.at.toISOString();
  return { at, standing: 'ended', parts: [], left: leftSumsOf(record), next: nextOf(record, now) };
}

function latestOf(...moments: readonly (Date | undefined)[]): string {
  return new Date(Math.max(...moments.map((at) => at?.getTime() ?? 0))).toISOString();
}

function agreementIn({ at, how, on }: Decision<'planAgreed'>): NonNullable<PlanTold['herAgreement']> {
  return { at: ((how && on) ?? at).toISOString(), how };
}

function partToldOf({ left, payment, dueAt }: Installment): PlanTold['parts'][number] {
  const paid = payment?.status === 'paid' ? payment : undefined;
  return {
    cents: paid?.cents ?? left.byCardCents,
    beforeFeeCents: paid?.beforeFeeCents ?? left.beforeFeeCents,
    dueAt: dueAt.toISOString(),
    paidAt: paid?.paidAt?.toISOString(),
  };
}

function nextOf(record: RegistrationRecord, now: Date): NextPayment {
  const next = nextInstallment(record);
  const { dueAt } = next;
  return {
    ...sumsOf(record, next),
    dueAt: dueAt > now ? dueAt.toISOString() : undefined,
    way: wayOf(record, next, now),
  };
}

const WAYS: Readonly<Partial<Record<ChargeObstacle, NextPayment['way']>>> = {
  'no-consent': 'asked',
  'no-card': 'asked',
  'plan-not-agreed': 'asked',
  'too-late': 'asked',
  'plan-paused': 'paused',
  'no-notice': 'announced-too-late',
};

function wayOf(record: RegistrationRecord, next: Installment, now: Date): NextPayment['way'] {
  const obstacle = chargeObstacle(record, now, next);
  if (obstacle) return WAYS[obstacle] ?? 'open';
  return next.dueAt > now ? 'charged' : 'open';
}

interface Standing {
  /** Behind the name of the plan. */
  subject(letter: PlanLetter): string;
  preheader(letter: PlanLetter, edition: Edition): string;
  title(letter: PlanLetter): string;
  intro(letter: PlanLetter, edition: Edition): string;
  follows(letter: PlanLetter, edition: Edition): readonly Passage[];
  button?: string;
}

const standings: Readonly<Record<PlanTold['standing'], Standing>> = {
  'to-agree': {
    subject: () => ': please agree to it',
    preheader: () => 'Nothing is charged to your card until you agree.',
    title: () => 'Please agree to your payment plan',
    intro({ herAgreement, parts }, { facts: { title } }) {
      const count = countInWords(parts.length);
      return herAgreement
        ? `The retreat office has changed your payment plan for ${title} since you agreed to it. Please look over its ${count} parts, and agree to the new plan on your own page.`
        : `The retreat office has made a payment plan for your place in ${title}: the balance is divided into ${count} parts, each with a date of its own. Please look them over, and agree to the plan on your own page.`;
    },
    follows({ next }, edition) {
      const day = next.dueAt ? ` by ${dayOf(next.dueAt, edition)}` : '';
      return [
        heading('Once you have agreed'),
        nextParagraph(next, edition),
        heading('If you do not agree'),
        `Nothing is charged to your card. We will e-mail you to ask for ${owedWords(next)}, which you can pay on your own page${day}. If the dates don’t suit you, tell us, and we will find others.`,
      ];
    },
    button: 'See the plan, and agree to it',
  },
  agreed: {
    subject: ({ isChanged }) => (isChanged ? ' has changed' : ': you have agreed to it'),
    preheader: ({ next }, edition) => nextWords(next, edition),
    title: ({ isChanged }) =>
      isChanged ? 'Your payment plan has changed' : 'You have agreed to your payment plan',
    intro(letter, edition) {
      const { title } = edition.facts;
      return letter.isChanged
        ? `The retreat office has changed your payment plan for ${title}. It asks for nothing sooner and nothing more than you agreed to, so you don’t need to agree again. This is the plan now.`
        : `The balance for your place in ${title} is paid in ${countInWords(letter.parts.length)} parts. ${howAgreed(letter, edition)}`;
    },
    follows: ({ next }, edition) => [
      heading('What happens next'),
      nextParagraph(next, edition),
      'You can pay ahead on your own page at any time.',
    ],
  },
  paused: {
    subject: () => ' is paused',
    preheader: () => 'The retreat office will write to you before anything is charged again.',
    title: () => 'Your payment plan is paused',
    intro: (_letter, { facts: { title } }) =>
      `As arranged with the retreat office, your payment plan for ${title} is paused: none of its parts is charged, and your place stays reserved. The office will write to you before anything is charged again.`,
    follows: () => ['If you want to pay in the meantime, you can do so on your own page.'],
  },
  ended: {
    subject: () => ' has ended',
    preheader: ({ left }) => `The rest is one payment again: ${formatCents(left.cents)} by card.`,
    title: () => 'Your payment plan has ended',
    intro: (_letter, { facts: { title } }) =>
      `As arranged with the retreat office, your payment plan for ${title} has ended: the rest of the tuition is one payment again. Your place stays reserved.`,
    follows: () => [
      'You can pay it on your own page, or by check. We never charge your card without an e-mail that first tells you when and how much.',
    ],
  },
};

function howAgreed({ herAgreement, timeZone }: PlanLetter, edition: Edition): string {
  if (!herAgreement) return '';
  const { at, how } = herAgreement;
  return how
    ? `The retreat office has a record that you agreed to this ${HOW_AGREED[how]} on ${dayOf(at, edition)}. If that is not right, please tell us.`
    : `You agreed to this on your own page on ${tellMoment(new Date(at), edition.timetable, timeZone)}.`;
}

/** The row of its dates and sums, and what is left in all. */
function planFacts({ standing, parts, left, next, card }: PlanLetter, edition: Edition): FactRow[] {
  const due = next.dueAt ? dayOf(next.dueAt, edition) : 'now';
  return [
    ...parts.map((part, index) => ({
      label: titleOfPart({ position: index + 1, count: parts.length }),
      value: partWords(part, standing, edition),
    })),
    { label: 'Tuition', value: standing === 'ended' && tuitionLeft(left) },
    leftFact(left, edition),
    { label: 'Due', value: standing === 'ended' && due },
    { label: 'Card', value: card && nameCard(card) },
  ];
}

function partWords(
  { cents, beforeFeeCents, dueAt, paidAt }: PlanTold['parts'][number],
  standing: PlanTold['standing'],
  edition: Edition,
): string {
  if (paidAt) return `${formatCents(cents)}, paid on ${dayOf(paidAt, edition)}`;
  if (beforeFeeCents === 0) return 'Nothing left to pay';
  const sums = `${formatCents(cents)} by card, or ${formatCents(beforeFeeCents)} by check`;
  return standing === 'paused' ? sums : `${dayOf(dueAt, edition)}: ${sums}`;
}

function leftFact(sums: Sums, edition: Edition): Fact {
  const { prices } = edition.facts;
  const fee = onWays(prices, `, the ${prices.cardFee} fee included`);
  return {
    label: 'Total left',
    value: `${formatCents(sums.cents)} by card${fee}, or ${formatCents(sums.beforeFeeCents)} by check`,
    strong: true,
  };
}

/** What she is to know besides. */
const laterWords: Readonly<Record<NextPayment['way'], string>> = {
  charged:
    ' We e-mail you at least three days before each charge, and if one does not go through, the other parts keep their dates.',
  'announced-too-late': ' Later parts are charged on their dates.',
  asked: '',
  open: '',
  paused: '',
};

function nextParagraph(next: NextPayment, edition: Edition): string {
  return `${nextWords(next, edition)}${laterWords[next.way]}`;
}

/** What is paid next, and what she has to do for it. */
function nextWords(next: NextPayment, edition: Edition): string {
  const name = `${beginning(owedWords(next))}, ${formatCents(next.cents)}`;
  const by = next.dueAt ? ` by ${dayOf(next.dueAt, edition)}` : '';
  switch (next.way) {
    case 'charged':
      return `${name}, is charged to your card${next.dueAt ? ` on ${dayOf(next.dueAt, edition)}` : ''}.`;
    case 'asked':
      return `${name}, is not charged automatically: please pay it on your own page${by}.`;
    case 'announced-too-late':
      return `${name}, is due too soon for us to tell you three days ahead, so we will not charge it: please pay it on your own page${by}.`;
    case 'paused':
      return 'Your payment plan is paused: the retreat office will write to you before anything is charged.';
    case 'open':
      return `${name}, is left to pay: your own page shows the details.`;
  }
}

function samplePlan(edition: Edition) {
  const { earlier: at, paidAt: dueAt, card } = sampleFacts(edition);
  const { part, way, ...second } = sampleNext(edition);
  const { prices } = edition.facts;
  const first = { ...second, ...sumsByCard(25_000, prices), dueAt };
  const last = { ...sumsByCard(20_000, prices), dueAt: hoursAfter(dueAt, 672) };
  return {
    parts: [first, second, last] as const,
    left: sumsByCard(70_000, prices),
    next: { ...first, way, part: { ...part, number: 1, position: 1 } },
    at,
    card,
  };
}

/** What is left after the first part. */
function sampleLeft(edition: Edition) {
  const { parts, left } = samplePlan(edition);
  const [{ cents, beforeFeeCents }] = parts;
  return { cents: left.cents - cents, beforeFeeCents: left.beforeFeeCents - beforeFeeCents };
}

/** The second of the three parts. */
function sampleNext(edition: Edition) {
  const { ofPlan, paidAt } = sampleFacts(edition);
  return { ...ofPlan, dueAt: hoursAfter(paidAt, 336), way: 'charged' as const };
}
