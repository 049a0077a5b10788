import type { MailOf } from '#server/mail/job.ts';
import {
  balanceFailedMail,
  balanceMail,
  balancePaidMail,
  cancelWords,
  placeLinkMail,
  pleasePayMail,
} from '#shared/content/balance-mails.ts';
import { declineWords, nameCard } from '#shared/content/card-words.ts';
import type { Edition } from '#shared/content/edition.ts';
import { tellMoment } from '#shared/content/tell-moment.ts';
import { formatDate } from '#shared/dates.ts';
import { dateAt } from '#shared/local-time.ts';
import { formatCents } from '#shared/money.ts';
import { cancelling, sumFacts } from './charge-letters.ts';
import { type Fact, heading, type Letter, paragraph } from './letter.ts';
import type { MessageContext } from './links.ts';
import { fullName, isolate, safeName } from './names.ts';
import { letterToHer, linkExpiry, ownPageButton } from './to-her.ts';

/** Asks for the balance that is not charged without her. */
export function pleasePay(job: MailOf<'please-pay'>, edition: Edition, context: MessageContext): Letter {
  const { facts, timetable } = edition;
  const words = pleasePayMail;
  const payBy = job.payBy === undefined ? undefined : new Date(job.payBy);
  const asked: Fact[] = [
    ...sumFacts(job, edition),
    { label: balanceMail.byCheck, value: balanceMail.byCheckSum(job) },
    ...(payBy ? [{ label: balanceMail.payBy, value: tellMoment(payBy, timetable, job.timeZone) }] : []),
  ];
  return letterToHer(
    {
      subject: words.subject(facts),
      preheader: words.preheader(formatCents(job.cents)),
      title: words.title,
      blocks: [
        paragraph(payBy ? words.intro(facts) : `${words.intro(facts)} ${words.soon}`),
        { kind: 'facts', facts: asked },
        ownPageButton(job, edition, context),
        paragraph(words.otherwise),
        ...cancelling(cancelWords(job, edition, job.isRefundable), edition, context),
      ],
    },
    job,
    edition,
    context,
  );
}

/** Why her card was refused, what she can do, and when it is tried again. */
export function balanceFailed(
  job: MailOf<'balance-failed'>,
  edition: Edition,
  context: MessageContext,
): Letter {
  const { facts, timetable } = edition;
  const words = balanceFailedMail;
  const { why, advice } = declineWords[job.reason];
  const next = job.nextAt && tellMoment(new Date(job.nextAt), timetable, job.timeZone);
  return letterToHer(
    {
      subject: words.subject(facts),
      preheader: words.preheader[job.stage],
      title: words.title,
      blocks: [
        paragraph(words.intro(formatCents(job.cents), nameCard(job.card), facts)),
        paragraph(`${why} ${advice}`),
        paragraph(next ? words.again(next) : words.notAgain),
        ownPageButton(job, edition, context),
      ],
      questions: words.questions(context.office),
    },
    job,
    edition,
    context,
  );
}

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

/** What was paid on which day, as it stands on the retreat's calendar. */
function dayOf(moment: string, { timetable }: Edition): string {
  return formatDate(dateAt(new Date(moment), timetable.timeZone.id));
}

/** An amount that is not the edition's deposit is not taken apart: it was made up otherwise. */
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

/** The link to her page, for who asked for it. */
export function placeLink(job: MailOf<'place-link'>, edition: Edition, context: MessageContext): Letter {
  const words = placeLinkMail;
  const lastDay = dateAt(linkExpiry(edition), edition.timetable.timeZone.id);
  return letterToHer(
    {
      subject: words.subject(edition.facts),
      preheader: words.preheader,
      title: words.title,
      blocks: [
        paragraph(words.intro(edition.facts)),
        ownPageButton(job, edition, context),
        paragraph(words.until(lastDay)),
        paragraph(words.notYou),
      ],
    },
    job,
    edition,
    context,
  );
}
