import type { MailOf } from '#server/mail/job.ts';
import { balanceMail } from '#shared/content/balance-mails.ts';
import {
  refundFailedMail,
  refundMadeMail,
  refundMail,
  secondPaymentMail,
  tellSumLine,
} from '#shared/content/cancel-mails.ts';
import { nameCard } from '#shared/content/card-words.ts';
import type { Edition } from '#shared/content/edition.ts';
import { formatCents } from '#shared/money.ts';
import { type Fact, type Letter, paragraph } from './letter.ts';
import type { MessageContext } from './links.ts';
import { dayOf, letterToHer, ownPageButton } from './to-her.ts';

/** Says that her bank did not accept the refund, and asks where to send a check. */
export function refundFailed(
  job: MailOf<'refund-failed'>,
  edition: Edition,
  context: MessageContext,
): Letter {
  const words = refundFailedMail;
  const sum = formatCents(job.cents);
  return letterToHer(
    {
      subject: words.subject(edition.facts),
      preheader: words.preheader(sum),
      title: words.title,
      blocks: [paragraph(words.intro(sum, job.card && nameCard(job.card))), paragraph(words.ask)],
    },
    job,
    edition,
    context,
  );
}

/** Says what the office has given back as an exception. */
export function refundMade(job: MailOf<'refund-made'>, edition: Edition, context: MessageContext): Letter {
  const { facts } = edition;
  const words = refundMadeMail;
  const { by, cents, madeAt, card } = job;
  const sum = formatCents(cents);
  return letterToHer(
    {
      subject: words.subject(facts),
      preheader: words.preheader(sum),
      title: words.title(sum),
      blocks: [
        paragraph(words.intro[by](sum, facts)),
        {
          kind: 'facts',
          facts: [
            { label: words.amount, value: balanceMail.inDollars(cents), strong: true },
            { label: words.madeOn[by], value: dayOf(madeAt, edition) },
            { label: refundMail.how, value: howOf({ by, ...(card && { card }) }) },
          ],
        },
      ],
    },
    job,
    edition,
    context,
  );
}

/** Says, in place of a second welcome, that she has paid twice, and that this payment comes back whole. */
export function secondPayment(
  job: MailOf<'second-payment'>,
  edition: Edition,
  context: MessageContext,
): Letter {
  const words = secondPaymentMail;
  const sum = formatCents(job.amountCents);
  return letterToHer(
    {
      subject: words.subject(edition.facts),
      preheader: words.preheader(sum),
      title: words.title,
      blocks: [
        paragraph(words.intro(sum, dayOf(job.paidAt, edition), edition.facts)),
        paragraph(words.back(sum)),
        {
          kind: 'facts',
          facts: [
            { label: words.amount, value: balanceMail.inDollars(job.amountCents), strong: true },
            { label: words.paidOn, value: dayOf(job.paidAt, edition) },
            { label: words.reference, value: job.paymentIntentId },
          ],
        },
        paragraph(words.somebodyElse(context.office)),
        ownPageButton(job, edition, context),
      ],
    },
    job,
    edition,
    context,
  );
}

type Refunded = Pick<MailOf<'cancelled'>, 'cardCents' | 'checkCents' | 'lines' | 'card'>;

/** What comes back, line by line, and how. */
export function refundFacts({ cardCents, checkCents, lines, card }: Refunded): Fact[] {
  const cents = cardCents + checkCents;
  const total = { label: refundMail.total, strong: true };
  if (cents === 0) return [...lines.map(tellSumLine), { ...total, value: refundMail.nothing }];
  const by = cardCents > 0 ? 'card' : 'check';
  return [
    ...lines.map(tellSumLine),
    { ...total, value: balanceMail.inDollars(cents) },
    { label: refundMail.how, value: howOf({ by, ...(card && { card }) }) },
  ];
}

function howOf({ by, card }: Pick<MailOf<'refund-made'>, 'by' | 'card'>): string {
  return by === 'check' ? refundMail.byCheck : refundMail.toCard(card && nameCard(card));
}
