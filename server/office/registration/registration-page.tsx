import type { ComponentProps } from 'react';
import { mayGive } from '#server/office/commands/command.ts';
import { helpWith } from '#server/office/commands/need-commands.ts';
import { addNote } from '#server/office/commands/note-commands.ts';
import { groups } from '#server/office/commands/registration-command.ts';
import type { Situation } from '#server/office/commands/situation.ts';
import { registrations } from '#server/office/commands/subjects.ts';
import { DataTable, DetailsList, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { needWords, wordsOfState } from '#server/office/state-words.ts';
import { moneyLines, standingOf } from '#server/office/summary-words.ts';
import { stateOf } from '#server/registration/registration.ts';
import type { SignedIn } from '#server/users/user.ts';
import { needsOf } from '#server/worker/office-needs.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { mailLink, phoneLink } from '#shared/mail-and-phone.ts';
import { formatCents } from '#shared/money.ts';
import { AnswersSection, RecordSection } from './record-sections.tsx';
import { TimelineSection } from './timeline-section.tsx';

/** One registration: its state, its money, what can be done about it, what happened, and what she agreed to. */
export function RegistrationPage(shown: ComponentProps<typeof TimelineSection>) {
  const { about, letters, signedIn } = shown;
  return (
    <>
      <Lead about={about} hasFailed={letters.some(({ state }) => state === 'failed')} />
      <Section id="money" title="Money">
        <DataTable
          className="table table--narrow table--stacked statement"
          head={['What', 'How it stands', 'Amount']}
          rows={moneyLines(about.record, about.now).map(({ what, how, cents }) => [
            what,
            how,
            formatCents(cents),
          ])}
          classes={[undefined, undefined, 'sum']}
        />
      </Section>
      <Commands about={about} signedIn={signedIn} />
      <TimelineSection {...shown} />
      <RecordSection record={about.record} />
      <AnswersSection record={about.record} />
    </>
  );
}

/** Her state, how to reach her, what she needs, and what comes next. */
function Lead({ about, hasFailed }: { about: Situation; hasFailed: boolean }) {
  const { record, now } = about;
  const { email, phoneNumber } = record.registrant;
  const { id, title } = record.edition.facts;
  return (
    <div className="person-lead">
      <p className="person-lead__state">{wordsOfState(stateOf(record, now))}</p>
      <p className="row">
        {email && <a href={mailLink(email)}>{email}</a>}
        {phoneNumber && <a href={phoneLink(phoneNumber)}>{phoneNumber}</a>}
        {id !== edition.facts.id && <span>{title}</span>}
      </p>
      {needsOf(record, now).map(({ need }) => {
        const help = helpWith(need, about);
        return (
          <p key={need} className="row on-screen">
            <strong className="need">{needWords[need]}</strong>
            {help && (
              <a className="button button--quiet" href={officePaths.act(record.id, help.id)}>
                {help.heading}
              </a>
            )}
          </p>
        );
      })}
      {hasFailed && (
        <p className="need">
          {needWords['letter-failed']}: see <a href="#timeline">what happened</a>
        </p>
      )}
      {standingOf(record, now).map((words) => (
        <p key={words}>{words}</p>
      ))}
    </div>
  );
}

/** What can be done about a registration now, by what people ask for, and what cannot, with the reason. */
function Commands({ about, signedIn: { user } }: { about: Situation; signedIn: SignedIn }) {
  const { id } = about.record;
  const judged = registrations.commands
    .filter((command) => mayGive(user, command))
    .map((command) => ({ ...command, why: command.refuses(about) }));
  const refused = judged.filter(({ why }) => why !== undefined);
  // The form for a note is open below.
  const possible = judged.filter((command) => command.why === undefined && command.id !== addNote.id);
  return (
    <Section id="commands" className="on-screen" title="What she asks for">
      {possible.length === 0 && <p>Nothing can be done about this registration now.</p>}
      <div className="command-groups">
        {Object.entries(groups).map(([group, title]) => {
          const commands = possible.filter((command) => command.group === group);
          if (commands.length === 0) return null;
          return (
            <div key={group}>
              <h3>{title}</h3>
              <ul className="command-list">
                {commands.map((command) => (
                  <li key={command.id}>
                    <a className="more" href={officePaths.act(id, command.id)}>
                      {command.heading}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
      </div>
      {refused.length > 0 && (
        <details>
          <summary>Not possible now ({refused.length})</summary>
          <DetailsList rows={refused.map(({ heading, why }) => [heading, why])} />
        </details>
      )}
    </Section>
  );
}
