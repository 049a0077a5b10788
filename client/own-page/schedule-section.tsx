import { ScheduleDays } from '#client/ui/schedule.tsx';
import { PracticalFacts } from '#client/ui/texts.tsx';
import type { OwnPageView } from '#shared/content/own-page-view.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import {
  daysDiffer,
  describeHour,
  describeStart,
  describeWayIn,
  longDay,
  type OwnClock,
  recordedDays,
  retreatNow,
  scheduleByOwnDays,
  scheduleWords,
} from '#shared/content/schedule.ts';
import { timeZoneWords } from '#shared/content/time-zones.ts';
import { dateAt } from '#shared/dates.ts';
import { phoneLink, textLink } from '#shared/mail-and-phone.ts';
import { formPaths, ownPagePaths } from '#shared/own-page.ts';
import type { OfficeContact } from '#shared/page.ts';
import { currentTimeZone, formatTimeZone, isKnownTimeZone, zonesAgree } from '#shared/zoned-time.ts';
import { PlaceLink, PostForm, Section, ZoneSelect } from './parts.tsx';

const words = ownPageWords.schedule;

export function ScheduleSection({ view }: { view: OwnPageView }) {
  const { timetable, practicalFacts, facts } = view.edition;
  const other = ownIfDifferent(view);
  const days = other ? scheduleByOwnDays(timetable, other.timeZone, other.hourCycle) : timetable.days;
  const isOver = view.now >= new Date(facts.endsAt);
  const isRoomAbove = !['quiet', 'recordings-to-come'].includes(retreatNow(view.edition, view.now).kind);
  const zoneNote = (
    <p className="place-zone">
      {other
        ? scheduleWords.ownZoneNote(formatTimeZone(other.timeZone), daysDiffer(timetable, other.timeZone))
        : scheduleWords.zoneNote(timetable)}
    </p>
  );
  return (
    <>
      <Section className="place-schedule" id="days" title={words.title}>
        {isOver ? (
          <details className="act">
            <summary className="button button--quiet">{words.past}</summary>
            {zoneNote}
            <ScheduleDays days={days} />
          </details>
        ) : (
          <>
            {zoneNote}
            {view.mayAct && <ZoneForm view={view} />}
            <PlaceLink href={ownPagePaths.calendar}>{words.calendar}</PlaceLink>
            <ScheduleDays days={days} today={dateAt(view.now, other?.timeZone ?? timetable.timeZone.id)} />
          </>
        )}
      </Section>
      {!isOver && (
        <section className="place-practical" aria-labelledby={isRoomAbove ? 'practical' : 'room'}>
          {!isRoomAbove && (
            <>
              <h2 id="room">{words.roomTitle}</h2>
              <WayIntoRoom view={view} />
            </>
          )}
          <PracticalFacts title={practicalFacts.title} titleId="practical" facts={practicalFacts.facts} />
        </section>
      )}
    </>
  );
}

function ZoneForm({ view }: { view: OwnPageView }) {
  const { registrant, edition, token } = view;
  const { id: retreatZone } = edition.timetable.timeZone;
  return (
    <PostForm
      className="place-zone-form"
      action={formPaths.timeZone}
      hidden={{ token }}
      submit={timeZoneWords.submit}
      isQuiet
    >
      <ZoneSelect
        id="time-zone"
        name="timeZone"
        defaultValue={currentTimeZone(ownClockOf(view)?.timeZone ?? retreatZone)}
        zones={[registrant.timeZone, retreatZone]}
      />
    </PostForm>
  );
}

export function NowSection({ view, office: { officePhone } }: { view: OwnPageView; office: OfficeContact }) {
  const state = retreatNow(view.edition, view.now);
  if (state.kind !== 'test-session' && state.kind !== 'retreat') return null;
  const { on, next } = state;
  const { timeZone } = view.edition.timetable;
  const own = ownIfDifferent(view);
  const end = on && { start: on.end, startsAt: on.endsAt };
  const { onNow, until, isNext, thenNext, help, call, text } = ownPageWords.now;
  return (
    <Section className="place-now" id="room" title={on ? onNow(on.title) : isNext(next?.title ?? '')}>
      {end && <p>{until(describeHour(end, timeZone, own))}</p>}
      {next && <p>{thenNext(on && next.title, describeStart(next, timeZone, own))}</p>}
      <p>
        {help}
        <br />
        <a href={phoneLink(officePhone)}>{call(officePhone)}</a> <a href={textLink(officePhone)}>{text}</a>
      </p>
      <WayIntoRoom view={view} />
    </Section>
  );
}

/** Her own time zone, if the registration has it. Her 12- or 24-hour preference is not known: 12 is assumed. */
function ownClockOf({ registrant: { timeZone } }: OwnPageView): OwnClock | undefined {
  return timeZone && isKnownTimeZone(timeZone) ? { timeZone, hourCycle: '12' } : undefined;
}

/** The same if the sessions have other hours in it. */
function ownIfDifferent(view: OwnPageView): OwnClock | undefined {
  const { timetable } = view.edition;
  const own = ownClockOf(view);
  const moments = timetable.sessions.map(({ startsAt }) => new Date(startsAt));
  return own && !zonesAgree(moments, timetable.timeZone.id, own.timeZone) ? own : undefined;
}

function WayIntoRoom({ view }: { view: OwnPageView }) {
  const { room, state, edition, now, plan } = view;
  const testStart = new Date(edition.timetable.testSession.startsAt);
  const isForRetreat = room?.openFor === 'retreat';
  // The hour of the test session is above its button already.
  const toldUntil = room && now < testStart ? testStart : now;
  const opensAt = edition.timetable.letters.wayIn[0]?.at;
  const isOpenToOthers = !room && opensAt !== undefined && now >= new Date(opensAt);
  // Her deposit was refunded without a cancellation: only the office knows whether she comes.
  if (state.kind === 'settled' && isOpenToOthers) return <p>{words.roomAsk}</p>;
  const isWhilePaying = plan !== undefined && edition.plans?.roomWhilePaying;
  const [later, afterTest] =
    state.kind === 'settled'
      ? [words.roomLater, words.roomAfterTest.settled]
      : isWhilePaying
        ? [words.roomWhilePaying, words.roomAfterTest.paying]
        : [words.roomOncePaid, words.roomAfterTest.owing];
  return (
    <>
      {room?.url && (
        <p>
          <a className="button" href={room.url} rel="noopener noreferrer">
            {isForRetreat ? words.roomOpen : words.roomOpenForTest}
          </a>
        </p>
      )}
      {room && !room.url && <p>{words.roomNotYet}</p>}
      {isForRetreat ? (
        <p>{words.roomOpenNote}</p>
      ) : (
        <>
          <p>{room ? afterTest : later}</p>
          <p>{describeWayIn(edition.timetable, ownIfDifferent(view), toldUntil)}</p>
        </>
      )}
    </>
  );
}

export function RecordingsSection({ view, isHers }: { view: OwnPageView; isHers: boolean }) {
  const { recordings, edition, now } = view;
  const { title, open, discretion, oncePaid, list, toCome, late, onceAllPaid } = ownPageWords.recordings;
  const { timetable } = edition;
  const state = retreatNow(edition, now);
  if (!recordings) {
    if (!isHers || state.kind !== 'recordings-to-come') return null;
    return (
      <Section className="place-now" id="recordings" title={title}>
        <p>
          {now < state.at ? toCome(longDay(dateAt(state.at, timetable.timeZone.id))) : late}
          {view.state.kind !== 'settled' && ` ${onceAllPaid}`}
        </p>
      </Section>
    );
  }
  return (
    <Section className="place-practical place-recordings" id="recordings" title={title}>
      {recordings.url ? (
        <>
          <p>
            <a className="button" href={recordings.url} rel="noopener noreferrer">
              {open}
            </a>
          </p>
          <p>{discretion}</p>
        </>
      ) : (
        <p>{oncePaid}</p>
      )}
      <PracticalFacts title={list} facts={recordedDays(timetable)} />
    </Section>
  );
}
