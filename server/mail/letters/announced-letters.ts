import { linksEndAt } from '#server/links/own-page-links.ts';
import type { MailOf } from '#server/mail/job.ts';
import { recordingsMail, scheduleChangedMail } from '#shared/content/announced-mails.ts';
import type { Edition } from '#shared/content/edition.ts';
import { welcomeMail } from '#shared/content/mails.ts';
import { recordedDays } from '#shared/content/recordings.ts';
import { dateAt } from '#shared/local-time.ts';
import { heading, type Letter, paragraph } from './letter.ts';
import type { MessageContext } from './links.ts';
import { letterToHer, ownPageButton } from './to-her.ts';
import { scheduleBlocks } from './welcome.ts';

/**
 * The whole schedule as it is when the letter is rendered, in the retreat's time zone and in hers; with the
 * calendar file.
 */
export function scheduleChanged(
  job: MailOf<'schedule-changed'>,
  edition: Edition,
  context: MessageContext,
): Letter {
  const { calendar, ownPage, intro, recent, ...head } = scheduleChangedMail(edition);
  return letterToHer(
    {
      ...head,
      blocks: [
        paragraph(intro),
        paragraph(recent),
        ...scheduleBlocks(job, welcomeMail(edition), edition),
        paragraph(calendar(edition.facts.calendar.fileName)),
        paragraph(ownPage),
        ownPageButton(job, edition, context),
      ],
    },
    job,
    edition,
    context,
  );
}

/** Which sessions were recorded. Her page links to the recordings, for those who may see them. */
export function recordings(job: MailOf<'recordings'>, edition: Edition, context: MessageContext): Letter {
  const { facts, timetable } = edition;
  const { intro, where, list, only, discretion, ...head } = recordingsMail(edition);
  const lastMoment = new Date(linksEndAt(facts).getTime() - 1);
  return letterToHer(
    {
      ...head,
      blocks: [
        paragraph(intro),
        paragraph(where(dateAt(lastMoment, timetable.timeZone.id))),
        ownPageButton(job, edition, context),
        heading(list),
        { kind: 'points', points: recordedDays(timetable) },
        paragraph(only),
        paragraph(discretion),
      ],
    },
    job,
    edition,
    context,
  );
}
