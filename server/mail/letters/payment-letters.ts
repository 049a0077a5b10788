import { linksEndAt } from '#server/links/own-page-links.ts';
import type { MailOf } from '#server/mail/job.ts';
import {
  balanceFailedMail,
  balanceMail,
  cancelWords,
  ownPageLinkMail,
  pleasePayMail,
} from '#shared/content/balance-mails.ts';
import { declineWords, nameCard } from '#shared/content/card-words.ts';
import type { Edition } from '#shared/content/edition.ts';
import { tellMoment } from '#shared/content/tell-moment.ts';
import { dateAt } from '#shared/local-time.ts';
import { formatCents } from '#shared/money.ts';
import { cancelling, sumFacts } from './charge-letters.ts';
import { type Fact, type Letter, paragraph } from './letter.ts';
import type { MessageContext } from './links.ts';
import { letterToHer, ownPageButton } from './to-her.ts';

/** Asks her to pay the balance, which is not charged automatically. */
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

/** Says why her card was refused, what she can do, and when it is retried. */
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

/** The link to her page, for a registrant who asked for it. */
export function ownPageLink(job: MailOf<'place-link'>, edition: Edition, context: MessageContext): Letter {
  const words = ownPageLinkMail;
  const lastMoment = new Date(linksEndAt(edition.facts).getTime() - 1);
  const lastDay = dateAt(lastMoment, edition.timetable.timeZone.id);
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
