import { formatCents } from '#shared/money.ts';
import type { SomeLetters } from './letter-kind.ts';
import { paragraph } from './render/letter.ts';
import { dayOf, inDollars, ownPageButton } from './render/parts.ts';
import { sampleFacts } from './samples.ts';

/** In place of a second welcome: that she has paid twice, such as on another device, and that this comes back whole. */
export const secondPayment = {
  'second-payment': {
    name: 'We received two payments of yours',
    subject: ({ facts }) => `We received two payments of yours: ${facts.title}`,
    says(letter, edition, context) {
      const { email, phone } = context.office;
      const sum = formatCents(letter.amountCents);
      const day = dayOf(letter.paidAt, edition);
      return {
        preheader: `The second one, ${sum}, comes back to you whole.`,
        title: 'We received two payments of yours',
        blocks: [
          paragraph(
            `On ${day} we received ${sum} for a place in ${edition.facts.title}. You had already paid for your place before, and that place is yours: nothing changes about it, and the letters about it keep coming.`,
          ),
          paragraph(
            `So this second payment is not needed. Nothing more will be charged for it, and the retreat office gives all of it back, ${sum}, to the card that paid it. You do not need to do anything, and a letter tells you when it is done.`,
          ),
          {
            kind: 'facts',
            facts: [
              { label: 'Amount', value: inDollars(letter.amountCents), strong: true },
              { label: 'Paid on', value: day },
              { label: 'Reference', value: letter.paymentIntentId },
            ],
          },
          paragraph(
            `Is the second place for somebody else? Then please tell us soon: reply to this e-mail, write to ${email} or call ${phone}. We will keep it for that person.`,
          ),
          ownPageButton(letter, edition, context),
        ],
      };
    },
    samples: (edition) => ({
      usual: {
        amountCents: edition.facts.prices.depositCents,
        paidAt: sampleFacts(edition).depositPaidAt,
      },
    }),
  },
} satisfies SomeLetters;
