import type { MailOf } from '#server/mail/job.ts';
import { balanceMail, balancePaidMail } from '#shared/content/balance-mails.ts';
import { nameCard } from '#shared/content/card-words.ts';
import type { Edition } from '#shared/content/edition.ts';
import { formatCents } from '#shared/money.ts';
import { type Fact, heading, type Letter, paragraph } from './letter.ts';
import type { MessageContext } from './links.ts';
import { fullName, isolate, safeName } from './names.ts';
import { dayOf, letterToHer, ownPageButton } from './to-her.ts';

/** The receipt of both payments. */
export function balancePaid(job: MailOf<'balance-paid'>, edition: Edition, context: MessageContext): Letter {
  const { facts } = edition;
  const words = balancePaidMail;
  return letterToHer(
    {
      subject: words.subject(facts),
      preheader: words.preheader,
      title: words.title,
      blocks: [
        paragraph(words.intro(facts)),
        paragraph(words.keep),
        heading(words.deposit),
        { kind: 'facts', facts: depositFacts(job, edition) },
        heading(words.balance),
        { kind: 'facts', facts: balanceFacts(job, edition) },
        heading(words.both),
        { kind: 'facts', facts: totalFacts(job) },
        ownPageButton(job, edition, context),
      ],
    },
    job,
    edition,
    context,
  );
}

/**
 * The lines of the deposit. Another amount than the edition's deposit is not split into tuition and fee,
 * because it was composed differently.
 */
function depositFacts(job: MailOf<'balance-paid'>, edition: Edition): Fact[] {
  const { facts } = edition;
  const { deposit, paymentIntentId } = job;
  const { depositCents, depositBeforeFeeCents } = facts.prices;
  const words = balancePaidMail;
  const name = isolate(safeName(fullName(job)));
  const parts =
    deposit.cents === depositCents
      ? [
          { label: words.tuition, value: formatCents(depositBeforeFeeCents) },
          { label: words.fee(facts), value: formatCents(depositCents - depositBeforeFeeCents) },
        ]
      : [];
  return [
    { label: words.purpose, value: facts.retreatPackage.selection },
    ...(name ? [{ label: words.name, value: name }] : []),
    { label: words.paidOn, value: dayOf(deposit.paidAt, edition) },
    ...parts,
    { label: words.charged, value: balanceMail.inDollars(deposit.cents), strong: true },
    ...(deposit.card ? [{ label: words.card, value: nameCard(deposit.card) }] : []),
    { label: words.reference, value: paymentIntentId },
  ];
}

function balanceFacts({ balance }: MailOf<'balance-paid'>, edition: Edition): Fact[] {
  const words = balancePaidMail;
  const { by, cents, beforeFeeCents, paidAt, card, reference } = balance;
  const day = dayOf(paidAt, edition);
  if (by === 'check') {
    return [
      { label: words.receivedOn, value: day },
      { label: words.byCheck, value: balanceMail.inDollars(cents), strong: true },
    ];
  }
  return [
    { label: words.paidOn, value: day },
    { label: words.tuition, value: formatCents(beforeFeeCents) },
    { label: words.fee(edition.facts), value: formatCents(cents - beforeFeeCents) },
    { label: words.charged, value: balanceMail.inDollars(cents), strong: true },
    ...(card ? [{ label: words.card, value: nameCard(card) }] : []),
    ...(reference ? [{ label: words.reference, value: reference }] : []),
  ];
}

function totalFacts({ deposit, balance, waivedCents }: MailOf<'balance-paid'>): Fact[] {
  const words = balancePaidMail;
  return [
    ...(waivedCents > 0 ? [{ label: words.waived, value: formatCents(waivedCents) }] : []),
    { label: words.total, value: balanceMail.inDollars(deposit.cents + balance.cents), strong: true },
  ];
}
