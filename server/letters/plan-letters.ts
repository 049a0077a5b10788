import {
  type Decision,
  HOW_AGREED,
  hasPlace,
  installmentsOf,
  isPlanAgreed,
  nextInstallment,
  onceAgreed,
  owes,
  type RegistrationRecord,
} from '#server/registration/registration.ts';
import { countInWords } from '#shared/dates.ts';
import type { LetterKinds } from './letter-kind.ts';
import { comesNext, moneyTable, owedWords } from './money.ts';
import { heading, type Passage } from './render/letter.ts';
import { pageButton, type Writing } from './render/parts.ts';

/** Besides those about a part's charge. None is true for who has no place, or has nothing left to pay. */
export const planLetters = {
  /** After the plan was made, changed, agreed to, paused or ended, as it stands since. */
  'payment-plan': {
    name: 'A payment plan',
    asksToPay: true,
    newsDays: 14,
    due(record, now) {
      const isOver = now >= new Date(record.edition.facts.endsAt);
      if (isOver || record.disputed || !hasPlace(record) || !owes(record)) return undefined;
      const state = planState(record);
      return (
        state && {
          at: state.at,
          says(w) {
            const words = wordsOf(state, record, now, w);
            return {
              title: `Your payment plan ${words.title}`,
              blocks: [
                words.intro,
                moneyTable(record, now, w),
                ...(words.follows ?? [
                  comesNext(record, now, w),
                  'You can pay ahead on your own page at any time.',
                ]),
                pageButton(record, w, words.label ?? 'Your own page', 'balance'),
              ],
            };
          },
        }
      );
    },
  },
} satisfies LetterKinds;

interface PlanState {
  kind: 'to-agree' | 'changed' | 'agreed' | 'paused' | 'ended';
  at: Date;
  agreed?: Decision<'planAgreed'> | undefined;
}

function planState(record: RegistrationRecord): PlanState | undefined {
  const { decisions, handedOver } = record;
  const { plan, planAgreed, check, withdrawn } = decisions;
  const endOf = (kind: 'plan' | 'planAgreed') => withdrawn.find((one) => one.kind === kind)?.at;
  if (!plan) {
    const at = check ? undefined : endOf('plan');
    return at && { kind: 'ended', at };
  }
  if (!nextInstallment(record).part) return undefined;
  const agreed = handedOver && planAgreed && planAgreed.at < handedOver.at ? undefined : planAgreed;
  const moments = [plan.at, agreed?.at, endOf('planAgreed'), handedOver?.at].map((at) => at?.getTime() ?? 0);
  const isAgreed = isPlanAgreed(record) && (agreed && agreed.at < plan.at ? 'changed' : 'agreed');
  return {
    kind: plan.paused ? 'paused' : isAgreed || 'to-agree',
    at: new Date(Math.max(...moments)),
    agreed,
  };
}

interface PlanWords {
  title: string;
  intro: string;
  /** Without it, what comes next. */
  follows?: readonly Passage[];
  label?: string;
}

function wordsOf(
  { kind, at, agreed }: PlanState,
  record: RegistrationRecord,
  now: Date,
  w: Writing,
): PlanWords {
  const count = countInWords(installmentsOf(record).length);
  switch (kind) {
    case 'to-agree':
      return {
        title: 'waits for you to agree',
        intro: agreed
          ? `The retreat office has changed your payment plan for ${w.title} since you agreed to it. Please look over its ${count} parts, and agree to the new plan on your own page.`
          : `The retreat office has made a payment plan for your place in ${w.title}: the balance is divided into ${count} parts, each with a date of its own. Please look them over, and agree to the plan on your own page.`,
        follows: [
          heading('Once you have agreed'),
          comesNext(onceAgreed(record, { at: now, by: '' }), now, w),
          heading('If you do not agree'),
          `Nothing is charged to your card. We will e-mail you to ask for ${owedWords(nextInstallment(record))}, which you can pay on your own page. If the dates don’t suit you, tell us, and we will find others.`,
        ],
        label: 'See the plan, and agree to it',
      };
    case 'changed':
    case 'agreed':
      return {
        title: kind === 'changed' ? 'has changed' : 'is agreed',
        intro:
          kind === 'changed'
            ? `The retreat office has changed your payment plan for ${w.title}. It asks for nothing sooner and nothing more than you agreed to, so you don’t need to agree again. This is the plan now.`
            : `The balance for your place in ${w.title} is paid in ${count} parts. ${howAgreed(agreed, w)}`,
      };
    case 'paused':
      return {
        title: 'is paused',
        intro: `As arranged with the retreat office, none of its parts is charged for now, and your place in ${w.title} stays reserved.`,
      };
    case 'ended':
      return {
        title: 'has ended',
        intro: `As arranged with the retreat office, your payment plan for ${w.title} ended on ${w.day(at)}: the rest of the tuition is one payment again. Your place stays reserved.`,
      };
  }
}

function howAgreed(agreed: Decision<'planAgreed'> | undefined, w: Writing): string {
  if (!agreed) return '';
  const { at, how, on } = agreed;
  return how && on
    ? `The retreat office has a record that you agreed to this ${HOW_AGREED[how]} on ${w.day(on)}. If that is not right, please tell us.`
    : `You agreed to this on your own page on ${w.moment(at)}.`;
}
