import { Fragment, type ReactElement } from 'react';
import type { OfficeItem } from '#server/letters/office-digest-words.ts';
import { helpWith } from '#server/office/commands/need-commands.ts';
import type { Situation } from '#server/office/commands/situation.ts';
import { placesLine } from '#server/office/commands/waiting-commands.ts';
import { HeldNotice } from '#server/office/list/held-notice.tsx';
import { Moment, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { needWords } from '#server/office/state-words.ts';
import type { Happening } from '#server/office/timeline.ts';
import { moment } from '#server/office/words.ts';
import {
  type HeldRegister,
  nameOf,
  type PlaceCounts,
  type RegistrationRecord,
} from '#server/registration/registration.ts';
import { edition as onSale } from '#shared/content/compiled/on-sale.ts';
import type { Edition } from '#shared/content/edition.ts';
import { formatDate, formatWeekday } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import type { Forecast, Move } from './forecast.ts';

interface Need {
  edition: Edition;
  item: OfficeItem;
  /** Of the registration that it is about. */
  about: Situation | undefined;
}

interface EditionSums {
  edition: Edition;
  places: PlaceCounts | undefined;
  money: Readonly<Record<'inCents' | 'backCents' | 'toPayCents', number>>;
  lateCents: number;
}

export interface TodayView {
  /** In the retreat's time zone, in ISO format. */
  day: string;
  held: HeldRegister | undefined;
  needs: readonly Need[];
  today: Forecast;
  tomorrow: Forecast;
  happened: readonly (Happening & { record: RegistrationRecord })[];
  sums: readonly EditionSums[];
}

/** What somebody of the office looks at first: who needs her, what happens without her, what came in. */
export function TodayPage(view: TodayView) {
  const { day, held, needs, today, tomorrow, happened, sums } = view;
  return (
    <>
      <p className="fine">
        {`${formatWeekday(day)}, ${formatDate(day)}. Hours are ${onSale.timetable.timeZone.name}.`}
      </p>
      {held && <HeldNotice held={held} record={{ edition: onSale }} />}
      <Section id="needs" title="Who needs you">
        {needs.length === 0 ? (
          <p>Nobody needs you at the moment. What is due goes out by itself.</p>
        ) : (
          <Folded items={needs.map(needView)} className="today-needs" />
        )}
      </Section>
      <Section id="by-itself" title="What happens by itself">
        <div className="today-halves">
          <Day title="Today" forecast={today} isHeld={held !== undefined} />
          <Day title="Tomorrow" forecast={tomorrow} isHeld={held !== undefined} />
        </div>
      </Section>
      <Section id="since" title="Since yesterday">
        {happened.length === 0 ? (
          <p>It has been quiet: nothing came in since yesterday.</p>
        ) : (
          <Folded items={happened.map(happeningView)} className="today-since" />
        )}
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

/** The first items of a list, and the others behind a press. */
function Folded({ items, className }: { items: readonly ReactElement[]; className: string }) {
  const more = items.slice(MOST_OPEN);
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
    since && sinceWords(since, edition),
  ];
  return (
    <li key={`${edition.facts.id} ${need} ${registration} ${mail}`}>
      <p className="today-who">
        {registration ? (
          <a href={officePaths.registration(registration)}>{name || 'Somebody'}</a>
        ) : (
          name || edition.facts.title
        )}
      </p>
      <p>
        {needWords[need]}
        <span className="fine">{facts.filter(Boolean).join(', ')}</span>
      </p>
      {press && (
        <a className="button button--quiet" href={press.path}>
          {press.words}
        </a>
      )}
    </li>
  );
}

const sinceWords = (since: string, edition: Edition): string =>
  `since ${moment(new Date(since), { edition })}`;

function happeningView({ record, at, what }: TodayView['happened'][number]) {
  return (
    <li key={`${record.id} ${at.getTime()} ${what}`}>
      <Moment at={at} record={record} />
      <Person record={record} />: {what}
    </li>
  );
}

/** The one press that helps. */
function pressOf(
  { need, mail }: OfficeItem,
  about: Situation | undefined,
  { facts }: Edition,
): { path: string; words: string } | undefined {
  if (mail !== undefined) return { path: officePaths.letterAct(mail, 'retry'), words: 'Try it again' };
  if (need === 'no-room')
    return { path: officePaths.announce(facts.id, 'announce-room'), words: 'Say where it is' };
  if (need === 'place-free' || need === 'waiting-bounced')
    return { path: officePaths.waiting, words: 'To the waiting list' };
  if (need === 'overbooked')
    return { path: `${officePaths.list}?edition=${facts.id}&show=registered`, words: 'See who has a place' };
  const command = about && helpWith(need, about);
  return command && { path: officePaths.act(about.record.id, command.id), words: command.heading };
}

function Day({ title, forecast, isHeld }: { title: string; forecast: Forecast; isHeld: boolean }) {
  const { charges, refunds, messages } = forecast;
  const count = [...messages.values()].reduce((sum, one) => sum + one, 0);
  const isNothing = charges.length + refunds.length + count === 0;
  return (
    <div>
      <h3>{title}</h3>
      {isHeld && <p className="need">Not before the hold ends:</p>}
      {isNothing && <p>Nothing is due.</p>}
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
  return <a href={officePaths.registration(record.id)}>{nameOf(record.registrant) || 'Somebody'}</a>;
}

function moneyLine({ money, lateCents }: EditionSums): string {
  const { inCents, backCents, toPayCents } = money;
  const back = backCents > 0 ? `, ${formatCents(backCents)} went back` : '';
  const late = lateCents > 0 ? `, ${formatCents(lateCents)} of it late` : '';
  return `${formatCents(inCents)} came in${back}; ${formatCents(toPayCents)} is still to pay${late}.`;
}
