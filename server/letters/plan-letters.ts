import {
  type ChargeObstacle,
  chargeObstacle,
  type Decision,
  HOW_AGREED,
  hasPlace,
  type Installment,
  installmentsOf,
  isPlanAgreed,
  nextInstallment,
  onceAgreed,
  owes,
  type RegistrationRecord,
} from '#server/registration/registration.ts';
import { nameCard } from '#shared/content/card-words.ts';
import { nameOfPart, titleOfPart } from '#shared/content/tuition.ts';
import { countInWords } from '#shared/dates.ts';
import { formatCents, onWays } from '#shared/money.ts';
import { paidByCard, paymentFacts } from './balance-paid.ts';
import { type Due, isNews, type LetterKinds, type RegistrationLetter, TO_HER } from './letter-kind.ts';
import { type Fact, type FactRow, factTable, heading, type Passage } from './render/letter.ts';
import { pageButton, type Writing } from './render/parts.ts';
import { leftSumsOf, owedTitle, owedWords, type Sums, sumsOf, tuitionLeft } from './sums.ts';

/** Besides those about a part's charge. None is true for who has no place, or has nothing left to pay. */
export const planLetters = {
  /** For two weeks after the plan was made, changed, agreed to, paused or ended, as it stands since. */
  'payment-plan': {
    ...TO_HER,
    name: 'A payment plan',
    asksToPay: true,
    subject: ({ facts }) => `Your payment plan for ${facts.title}`,
    due(record, now) {
      const isOver = now >= new Date(record.edition.facts.endsAt);
      if (isOver || record.disputed || !hasPlace(record) || !owes(record)) return undefined;
      const { plan } = record.decisions;
      const isInParts = plan && nextInstallment(record).part;
      const told = isInParts ? planTold(record, plan, now) : endTold(record, now);
      return told?.at && isNews(told.at, 14, now) ? told : undefined;
    },
  },

  /** The receipt of each part that her card paid, until nothing is left: then there is one of everything. */
  'part-paid': {
    ...TO_HER,
    name: 'Receipt for a part of a payment plan',
    subject: ({ facts }) => `Your receipt: a part of your payment plan for ${facts.title}`,
    due: (record, now) =>
      installmentsOf(record).flatMap(({ part, payment: paid }, _, all) => {
        if (!part || !paid?.paidAt || !hasPlace(record) || !owes(record)) return [];
        const payment = { ...paidByCard({ ...paid, paidAt: paid.paidAt }, all), part };
        return {
          key: [payment.reference],
          at: payment.paidAt,
          says(w) {
            const { title } = w.edition.facts;
            const next = nextOf(record, now);
            const name = titleOfPart(part);
            return {
              subject: `Your receipt: ${nameOfPart(part)} of your payment plan for ${title}`,
              preheader: `${formatCents(payment.cents)} has arrived. ${nextWords(next, w)}`,
              title: `${name} is paid. Thank you.`,
              blocks: [
                `${name} of your payment plan for ${title} has arrived. Please keep this e-mail: it is your receipt. You can also print it from your own page.`,
                factTable(paymentFacts(payment, w)),
                heading('What is left'),
                factTable([leftFact(leftSumsOf(record), w)]),
                nextParagraph(next, w),
                pageButton(record, w, 'Your own page', 'payments'),
              ],
            };
          },
        };
      }),
  },
} satisfies LetterKinds<RegistrationLetter>;

function planTold(record: RegistrationRecord, plan: Decision<'plan'>, now: Date): Due {
  const { decisions, handedOver, card, agreement } = record;
  const isHers = !(handedOver && decisions.planAgreed && decisions.planAgreed.at < handedOver.at);
  const agreed = isHers ? decisions.planAgreed : undefined;
  const dropped = decisions.withdrawn.find(({ kind }) => kind === 'planAgreed');
  const moments = [plan.at, agreed?.at, dropped?.at, handedOver?.at];
  const at = new Date(Math.max(...moments.map((moment) => moment?.getTime() ?? 0)));
  return {
    key: [at],
    at,
    says(w) {
      const { title } = w.edition.facts;
      const parts = installmentsOf(record);
      const next = nextOf(onceAgreed(record, { at: now, by: plan.by }), now);
      const words = plan.paused
        ? pausedWords(title)
        : isPlanAgreed(record)
          ? agreedWords(plan, agreed, parts.length, next, w)
          : wordsToAgree(agreed, parts.length, next, w);
      const { subject, follows, label = 'Your own page', intro, ...said } = words;
      return {
        ...said,
        subject: `Your payment plan for ${title}${subject}`,
        blocks: [
          intro,
          factTable([
            ...parts.map((part) => ({
              label: (part.part && titleOfPart(part.part)) || '',
              value: partWords(part, plan.paused === true, w),
            })),
            leftFact(leftSumsOf(record), w),
            { label: 'Card', value: card && agreement && !plan.paused && nameCard(card) },
          ]),
          ...follows,
          pageButton(record, w, label, 'balance'),
        ],
      };
    },
  };
}

interface PlanWords {
  /** Behind the name of the plan. */
  subject: string;
  preheader: string;
  title: string;
  intro: string;
  follows: readonly Passage[];
  label?: string;
}

function wordsToAgree(
  agreed: Decision<'planAgreed'> | undefined,
  parts: number,
  next: NextPayment,
  w: Writing,
): PlanWords {
  const { title } = w.edition.facts;
  const count = countInWords(parts);
  const day = next.dueAt ? ` by ${w.day(next.dueAt)}` : '';
  return {
    subject: ': please agree to it',
    preheader: 'Nothing is charged to your card until you agree.',
    title: 'Please agree to your payment plan',
    intro: agreed
      ? `The retreat office has changed your payment plan for ${title} since you agreed to it. Please look over its ${count} parts, and agree to the new plan on your own page.`
      : `The retreat office has made a payment plan for your place in ${title}: the balance is divided into ${count} parts, each with a date of its own. Please look them over, and agree to the plan on your own page.`,
    follows: [
      heading('Once you have agreed'),
      nextParagraph(next, w),
      heading('If you do not agree'),
      `Nothing is charged to your card. We will e-mail you to ask for ${owedWords(next)}, which you can pay on your own page${day}. If the dates don’t suit you, tell us, and we will find others.`,
    ],
    label: 'See the plan, and agree to it',
  };
}

function agreedWords(
  plan: Decision<'plan'>,
  agreed: Decision<'planAgreed'> | undefined,
  parts: number,
  next: NextPayment,
  w: Writing,
): PlanWords {
  const { title } = w.edition.facts;
  const isChanged = agreed !== undefined && agreed.at < plan.at;
  return {
    subject: isChanged ? ' has changed' : ': you have agreed to it',
    preheader: nextWords(next, w),
    title: isChanged ? 'Your payment plan has changed' : 'You have agreed to your payment plan',
    intro: isChanged
      ? `The retreat office has changed your payment plan for ${title}. It asks for nothing sooner and nothing more than you agreed to, so you don’t need to agree again. This is the plan now.`
      : `The balance for your place in ${title} is paid in ${countInWords(parts)} parts. ${howAgreed(agreed, w)}`,
    follows: [
      heading('What happens next'),
      nextParagraph(next, w),
      'You can pay ahead on your own page at any time.',
    ],
  };
}

function pausedWords(title: string): PlanWords {
  return {
    subject: ' is paused',
    preheader: 'The retreat office will write to you before anything is charged again.',
    title: 'Your payment plan is paused',
    intro: `As arranged with the retreat office, your payment plan for ${title} is paused: none of its parts is charged, and your place stays reserved. The office will write to you before anything is charged again.`,
    follows: ['If you want to pay in the meantime, you can do so on your own page.'],
  };
}

function endTold(record: RegistrationRecord, now: Date): Due | undefined {
  const { plan, check, withdrawn } = record.decisions;
  const ended = withdrawn.find(({ kind }) => kind === 'plan');
  if (plan || check || !ended) return undefined;
  return {
    key: [ended.at],
    at: ended.at,
    says(w) {
      const { title } = w.edition.facts;
      const left = leftSumsOf(record);
      const { dueAt } = nextOf(record, now);
      return {
        subject: `Your payment plan for ${title} has ended`,
        preheader: `The rest is one payment again: ${formatCents(left.cents)} by card.`,
        title: 'Your payment plan has ended',
        blocks: [
          `As arranged with the retreat office, your payment plan for ${title} has ended: the rest of the tuition is one payment again. Your place stays reserved.`,
          factTable([
            { label: 'Tuition', value: tuitionLeft(left) },
            leftFact(left, w),
            { label: 'Due', value: dueAt ? w.day(dueAt) : 'now' },
          ]),
          'You can pay it on your own page, or by check. We never charge your card without an e-mail that first tells you when and how much.',
          pageButton(record, w, 'Your own page', 'balance'),
        ],
      };
    },
  };
}

function howAgreed(agreed: Decision<'planAgreed'> | undefined, w: Writing): string {
  if (!agreed) return '';
  const { at, how, on } = agreed;
  return how && on
    ? `The retreat office has a record that you agreed to this ${HOW_AGREED[how]} on ${w.day(on)}. If that is not right, please tell us.`
    : `You agreed to this on your own page on ${w.moment(at)}.`;
}

function partWords({ left, payment, dueAt }: Installment, isPaused: boolean, w: Writing): string {
  if (payment?.paidAt) return `${formatCents(payment.cents)}, paid on ${w.day(payment.paidAt)}`;
  if (left.beforeFeeCents === 0) return 'Nothing left to pay';
  const sums = `${formatCents(left.byCardCents)} by card, or ${formatCents(left.beforeFeeCents)} by check`;
  return isPaused ? sums : `${w.day(dueAt)}: ${sums}`;
}

function leftFact(sums: Sums, { edition }: Writing): Fact & FactRow {
  const { prices } = edition.facts;
  const fee = onWays(prices, `, the ${prices.cardFee} fee included`);
  return {
    label: 'Total left',
    value: `${formatCents(sums.cents)} by card${fee}, or ${formatCents(sums.beforeFeeCents)} by check`,
    strong: true,
  };
}

interface NextPayment extends Sums {
  /** Absent when that moment is past. */
  dueAt?: Date | undefined;
  /** Not `charged` where the charge cannot be announced early enough any more. */
  way: 'charged' | 'asked' | 'announced-too-late' | 'paused' | 'open';
}

const WAYS: Readonly<Partial<Record<ChargeObstacle, NextPayment['way']>>> = {
  'no-consent': 'asked',
  'no-card': 'asked',
  'plan-not-agreed': 'asked',
  'too-late': 'asked',
  'plan-paused': 'paused',
  'no-notice': 'announced-too-late',
};

function nextOf(record: RegistrationRecord, now: Date): NextPayment {
  const next = nextInstallment(record);
  const obstacle = chargeObstacle(record, now, next);
  const isAhead = next.dueAt > now;
  const way = obstacle ? (WAYS[obstacle] ?? 'open') : isAhead ? 'charged' : 'open';
  return { ...sumsOf(record, next), dueAt: isAhead ? next.dueAt : undefined, way };
}

const LATER: Readonly<Partial<Record<NextPayment['way'], string>>> = {
  charged:
    ' We e-mail you at least three days before each charge, and if one does not go through, the other parts keep their dates.',
  'announced-too-late': ' Later parts are charged on their dates.',
};

function nextParagraph(next: NextPayment, w: Writing): string {
  return `${nextWords(next, w)}${LATER[next.way] ?? ''}`;
}

function nextWords({ dueAt, way, ...sums }: NextPayment, w: Writing): string {
  const name = `${owedTitle(sums)}, ${formatCents(sums.cents)}`;
  const by = dueAt ? ` by ${w.day(dueAt)}` : '';
  switch (way) {
    case 'charged':
      return `${name}, is charged to your card${dueAt ? ` on ${w.day(dueAt)}` : ''}.`;
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
