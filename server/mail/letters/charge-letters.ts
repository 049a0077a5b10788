import { contactOf } from '#server/config/office.ts';
import type { MailOf } from '#server/mail/job.ts';
import {
  balanceMail,
  cancelWords,
  cardExpiresMail,
  chargeMails,
  type Sums,
} from '#shared/content/balance-mails.ts';
import { nameCard } from '#shared/content/card-words.ts';
import type { Edition } from '#shared/content/edition.ts';
import { waysToCancel } from '#shared/content/policies.ts';
import { tellMoment } from '#shared/content/tell-moment.ts';
import { formatDate, formatMonthAndDay } from '#shared/dates.ts';
import { addDays, dateAt } from '#shared/local-time.ts';
import { formatCents } from '#shared/money.ts';
import { type Block, type Fact, heading, type Letter, paragraph } from './letter.ts';
import type { MessageContext } from './links.ts';
import { letterToHer, ownPageButton } from './to-her.ts';

type ChargeMail = MailOf<'balance-notice' | 'balance-reminder' | 'balance-postponed'>;

/** Announces that her card will be charged, when and how much, and what she can do before (R8). */
export function announceCharge(job: ChargeMail, edition: Edition, context: MessageContext): Letter {
  const { facts } = edition;
  const words = chargeMails[job.kind];
  const dueAt = new Date(job.dueAt);
  const date = dayOf(dueAt, edition);
  const toDo = job.expires ? balanceMail.anotherCard : balanceMail.nothingToDo;
  return letterToHer(
    {
      subject: words.subject(facts),
      preheader: words.preheader(formatCents(job.cents), date, toDo),
      title: words.title(date),
      blocks: [
        paragraph(words.intro(facts, toDo)),
        { kind: 'facts', facts: chargeFacts(job, edition) },
        paragraph(words.anotherWay(job)),
        ownPageButton(job, edition, context),
        ...cancelling(cancelWords(job, edition, job.isRefundable, dueAt), edition, context),
      ],
    },
    job,
    edition,
    context,
  );
}

/** Says that the card on file will have expired when the balance is charged. */
export function cardExpires(job: MailOf<'card-expires'>, edition: Edition, context: MessageContext): Letter {
  const words = cardExpiresMail;
  const { card } = job;
  // The last day of the month printed on the card.
  const lastDay = addDays(new Date(Date.UTC(card.expYear, card.expMonth, 1)).toISOString().slice(0, 10), -1);
  return letterToHer(
    {
      subject: words.subject(edition.facts),
      preheader: words.preheader,
      title: words.title,
      blocks: [
        paragraph(words.intro(nameCard(card), formatDate(lastDay), edition.facts)),
        paragraph(words.whatToDo),
        ownPageButton(job, edition, context),
        { kind: 'facts', facts: chargeFacts(job, edition) },
      ],
    },
    job,
    edition,
    context,
  );
}

/** How she cancels, and what that means. */
export function cancelling(meaning: string, { facts }: Edition, { office }: MessageContext): Block[] {
  const ways = waysToCancel(contactOf(office), facts.siteName);
  return [heading(balanceMail.cancelTitle), paragraph(meaning), paragraph(balanceMail.cancelBy(ways))];
}

/** What is left to pay, and its parts. */
export function sumFacts(sums: Sums, { facts }: Edition): Fact[] {
  return [
    { label: balanceMail.amount, value: balanceMail.inDollars(sums.cents), strong: true },
    { label: balanceMail.madeOf, value: balanceMail.parts(sums, facts) },
  ];
}

function chargeFacts(job: ChargeMail | MailOf<'card-expires'>, edition: Edition): Fact[] {
  const { dueAt, card, timeZone } = job;
  return [
    ...sumFacts(job, edition),
    { label: balanceMail.when, value: tellMoment(new Date(dueAt), edition.timetable, timeZone) },
    ...(card ? [{ label: balanceMail.card, value: nameCard(card) }] : []),
  ];
}

function dayOf(moment: Date, { timetable }: Edition): string {
  return formatMonthAndDay(dateAt(moment, timetable.timeZone.id));
}
