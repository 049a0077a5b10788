import type { MailOf } from '#server/mail/job.ts';
import { officeCancelMail, officeCancelUndoneMail, tellSumLine } from '#shared/content/cancel-mails.ts';
import type { Edition } from '#shared/content/edition.ts';
import { tellMoment, tellMomentToSecond } from '#shared/content/tell-moment.ts';
import { formatCents } from '#shared/money.ts';
import type { Fact, Letter } from './letter.ts';
import type { MessageContext } from './links.ts';
import { officeLetter, paid } from './office-notices.ts';

/** To the office, when she has cancelled on her page: the written record of her cancellation. */
export function officeCancel(
  job: MailOf<'office-cancel'>,
  edition: Edition,
  context: MessageContext,
): Letter {
  const { timetable } = edition;
  const { undoUntil } = job;
  const words = officeCancelMail;
  const facts: Fact[] = [
    { label: words.written, value: tellMomentToSecond(new Date(job.writtenAt), timetable), strong: true },
    ...job.lines.map(tellSumLine),
    { label: words.back, value: whatComesBack(job), strong: true },
    ...(undoUntil ? [{ label: words.undo, value: tellMoment(new Date(undoUntil), timetable) }] : []),
  ];
  return officeLetter(job, { ...words, facts }, edition.facts, context);
}

/** To the office, when she has taken her cancellation back herself. */
export function officeCancelUndone(
  job: MailOf<'office-cancel-undone'>,
  edition: Edition,
  context: MessageContext,
): Letter {
  const words = officeCancelUndoneMail;
  const facts: Fact[] = [
    { label: words.undone, value: tellMomentToSecond(new Date(job.at), edition.timetable) },
    paid,
    { label: words.balance, value: words.stands[job.standing](job) },
  ];
  return officeLetter(job, { ...words, facts }, edition.facts, context);
}

function whatComesBack({ cardCents, checkCents, isDisputed }: MailOf<'office-cancel'>): string {
  const { by, disputed } = officeCancelMail;
  const sum = checkCents > 0 ? by.check(formatCents(checkCents)) : by.card(formatCents(cardCents));
  if (cardCents + checkCents === 0) return formatCents(0);
  return isDisputed ? `${sum}. ${disputed}` : sum;
}
