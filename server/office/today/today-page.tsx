import type { IRouter } from 'express';
import { Fragment, type ReactElement } from 'react';
import { readAnnouncements } from '#server/letters/announcements.ts';
import { needTitle, type OfficeItem } from '#server/letters/office-digest-words.ts';
import { helpWith } from '#server/office/commands/subjects.ts';
import { placesLine } from '#server/office/commands/waiting-commands.ts';
import { inTurns } from '#server/office/letters/readers.ts';
import { readTallies, sumsOf } from '#server/office/list/find-listed.ts';
import { addPage, type Office } from '#server/office/office.ts';
import { HeldNotice, Moment, PersonLink, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { type Happening, type Situation, timelineOf } from '#server/office/timeline.ts';
import { moment } from '#server/office/words.ts';
import { localClock } from '#server/ops/local-clock.ts';
import { nameOf, type RegistrationRecord, readHeldIn } from '#server/registration/registration.ts';
import { itemsOf } from '#server/worker/office-digest.ts';
import { registrationsOf } from '#server/worker/registration-index.ts';
import { edition as onSale } from '#shared/content/compiled/on-sale.ts';
import type { Edition } from '#shared/content/edition.ts';
import { addDays, formatDate, formatWeekday, withUtcOffset } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import { type Forecast, foretell, type Move } from './forecast.ts';

/** More are not looked through: a look at each takes some tenths of a millisecond. */
const MOST_LOOKED_AT = 1_000;

/** What somebody of the office looks at first: who needs her, what happens without her, what came in. */
export function addTodayPage(router: IRouter, office: Office): void {
  addPage(router, office, [officePaths.today, 'Today'], async (_req, _res) => {
    const view = await readToday(office);
    return <TodayPage {...view} />;
  });
}

interface Need {
  edition: Edition;
  item: OfficeItem;
  about: Situation | undefined;
}

type Happened = Happening & { record: RegistrationRecord };

type TodayView = Awaited<ReturnType<typeof readToday>>;

/** All editions together: while one is on sale, the office may still have to do about the one before. */
async function readToday(office: Office) {
  const { database, mailQueue, editions } = office;
  if (!(await mailQueue.isAnswering())) throw new Error('Redis does not answer');
  const now = office.now();
  const zone = onSale.timetable.timeZone.id;
  const day = localClock(zone).dateOf(now);
  const dayStart = (days: number) => new Date(withUtcOffset(`${addDays(day, days)}T00:00`, zone));
  const days = [
    { title: 'Today', now, from: now, until: dayStart(1), ...nothing() },
    { title: 'Tomorrow', now, from: dayStart(1), until: dayStart(2), ...nothing() },
  ];
  const needs: Need[] = [];
  const happened: Happened[] = [];
  const sums: Awaited<ReturnType<typeof readSums>>[] = [];
  for (const edition of editions) {
    const records = await registrationsOf(office.payments, edition, MOST_LOOKED_AT);
    const announced = await readAnnouncements(office.payments, edition);
    for (const item of await itemsOf(edition, now, office)) {
      const record = records.find(({ id }) => id === item.registration);
      needs.push({ edition, item, about: record && { record, announced, now } });
    }
    await inTurns(records, (record) => {
      for (const one of days) foretell(one, one, record, announced);
      for (const one of timelineOf(record))
        if (one.at >= dayStart(-1) && one.at <= now) happened.push({ ...one, record });
    });
    if (edition === onSale || records.length > 0) sums.push(await readSums(edition, office));
  }
  happened.sort((one, other) => other.at.getTime() - one.at.getTime());
  return { day, held: await database.read(readHeldIn), needs, days, happened, sums };
}

const nothing = (): Forecast => ({ charges: [], refunds: [], messages: new Map() });

async function readSums(edition: Edition, { database, admission }: Office) {
  const tallies = await database.read((transaction) => readTallies(transaction, { edition, search: '' }));
  return {
    edition,
    places: edition.facts.places === undefined ? undefined : await admission.places.count(edition.facts),
    ...sumsOf(tallies, 'all'),
    lateCents: sumsOf(tallies, 'late').toPayCents,
  };
}

function TodayPage({ day, held, needs, days, happened, sums }: TodayView) {
  return (
    <>
      <p className="fine">
        {`${formatWeekday(day)}, ${formatDate(day)}. Hours are ${onSale.timetable.timeZone.name}.`}
      </p>
      {held && <HeldNotice held={held} record={{ edition: onSale }} />}
      <Section id="needs" title="Who needs you">
        <Folded
          className="rows rows--ruled"
          items={needs.map(needView)}
          none="Nobody needs you at the moment. What is due goes out by itself."
        />
      </Section>
      <Section id="by-itself" title="What happens by itself">
        <div className="today-halves">
          {days.map((one) => (
            <Day key={one.title} {...one} isHeld={held !== undefined} />
          ))}
        </div>
      </Section>
      <Section id="since" title="Since yesterday">
        <Folded
          className="rows"
          items={happened.map(happenedView)}
          none="It has been quiet: nothing came in since yesterday."
        />
      </Section>
      <Section id="sums" title="Places and money">
        {sums.map((one) => (
          <Fragment key={one.edition.facts.id}>
            {sums.length > 1 && <h3>{one.edition.facts.title}</h3>}
            {one.places && <p>{placesLine(one.places)}</p>}
            <p>{moneyLine(one)}</p>
          </Fragment>
        ))}
      </Section>
    </>
  );
}

/** More would hide what stands below. */
const MOST_OPEN = 12;

interface FoldedProps {
  items: readonly ReactElement[];
  className: string;
  none: string;
}

function Folded({ items, className, none }: FoldedProps) {
  const more = items.slice(MOST_OPEN);
  if (items.length === 0) return <p>{none}</p>;
  return (
    <>
      <ul className={className}>{items.slice(0, MOST_OPEN)}</ul>
      {more.length > 0 && (
        <details>
          <summary>{`And ${more.length} more`}</summary>
          <ul className={className}>{more}</ul>
        </details>
      )}
    </>
  );
}

function needView({ edition, item, about }: Need) {
  const { need, registration, name, cents, count, since, mail = '' } = item;
  const press = pressOf(item, about, edition);
  const facts = [
    count?.toString(),
    cents !== undefined && formatCents(cents),
    since && `since ${moment(new Date(since), { edition })}`,
  ];
  return (
    <li key={`${edition.facts.id} ${need} ${registration} ${mail}`}>
      <p>{registration ? <PersonLink id={registration} name={name} /> : name || edition.facts.title}</p>
      <p>
        {needTitle(need)}
        <span className="fine">{facts.filter(Boolean).join(', ')}</span>
      </p>
      {press && (
        <a className="button button--quiet" href={press[0]}>
          {press[1]}
        </a>
      )}
    </li>
  );
}

/** The one press that helps: where it leads, and its words. */
function pressOf(
  { need, mail }: OfficeItem,
  about: Situation | undefined,
  { facts }: Edition,
): readonly [path: string, words: string] | undefined {
  if (mail !== undefined) return [officePaths.letterAct(mail, 'retry'), 'Try it again'];
  if (need === 'no-room') return [officePaths.announce(facts.id, 'announce-room'), 'Say where it is'];
  if (need === 'place-free' || need === 'waiting-bounced')
    return [officePaths.waiting, 'To the waiting list'];
  if (need === 'overbooked')
    return [`${officePaths.list}?edition=${facts.id}&show=registered`, 'See who has a place'];
  const command = about && helpWith(need, about);
  return command && [officePaths.act(about.record.id, command.id), command.heading];
}

function happenedView({ record, at, what }: Happened) {
  return (
    <li key={`${record.id} ${at.getTime()} ${what}`}>
      <span className="fine">
        <Moment at={at} record={record} />
      </span>
      <div>
        <Person record={record} />: {what}
      </div>
    </li>
  );
}

function Day({ title, isHeld, charges, refunds, messages }: Forecast & { title: string; isHeld: boolean }) {
  const count = [...messages.values()].reduce((sum, one) => sum + one, 0);
  return (
    <div>
      <h3>{title}</h3>
      {isHeld && <p className="need">Not before the hold ends:</p>}
      {charges.length + refunds.length + count === 0 && <p>Nothing is due.</p>}
      <Moves moves={charges} one="One card is charged" many="cards are charged" />
      <Moves moves={refunds} one="One refund goes back" many="refunds go back" />
      {count > 0 && (
        <details>
          <summary>{count === 1 ? 'One message goes out' : `${count} messages go out`}</summary>
          <ul>
            {[...messages].map(([name, times]) => (
              <li key={name}>{times === 1 ? name : `${name}, to ${times} people`}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function Moves({ moves, one, many }: { moves: readonly Move[]; one: string; many: string }) {
  if (moves.length === 0) return null;
  const cents = moves.reduce((sum, move) => sum + move.cents, 0);
  return (
    <details open={moves.length <= 5}>
      <summary>{`${moves.length === 1 ? one : `${moves.length} ${many}`}: ${formatCents(cents)}`}</summary>
      <ul>
        {moves.map((move) => (
          <li key={move.record.id}>
            <Person record={move.record} />, {formatCents(move.cents)},{' '}
            <Moment at={move.at} record={move.record} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function Person({ record }: { record: RegistrationRecord }) {
  return <PersonLink id={record.id} name={nameOf(record.registrant)} />;
}

function moneyLine({ inCents, backCents, toPayCents, lateCents }: TodayView['sums'][number]): string {
  const back = backCents > 0 ? `, ${formatCents(backCents)} went back` : '';
  const late = lateCents > 0 ? `, ${formatCents(lateCents)} of it late` : '';
  return `${formatCents(inCents)} came in${back}; ${formatCents(toPayCents)} is still to pay${late}.`;
}
