import type { IRouter, Response } from 'express';
import type { ComponentProps } from 'react';
import { readMessages } from '#server/letters/messages.ts';
import { needTitle } from '#server/letters/office-digest-words.ts';
import { type Command, mayGive, Refusal } from '#server/office/commands/command.ts';
import { lettersAbout } from '#server/office/commands/letters.ts';
import { addNote } from '#server/office/commands/person-commands.ts';
import { groups } from '#server/office/commands/registration-command.ts';
import { helpWith, registrations } from '#server/office/commands/subjects.ts';
import type { Office } from '#server/office/office.ts';
import { DataTable, DetailsList, Section, WayBack } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { moneyLines, standingOf } from '#server/office/summary-words.ts';
import type { Situation } from '#server/office/timeline.ts';
import { signedInOf } from '#server/office/users/user.ts';
import { wordsOfState } from '#server/office/words.ts';
import { exportOf, stateOf } from '#server/registration/registration.ts';
import { needsOf } from '#server/worker/office-needs.ts';
import { mailLink, phoneLink } from '#shared/mail-and-phone.ts';
import { formatCents } from '#shared/money.ts';
import { AnswersSection, RecordSection } from './record-sections.tsx';
import { TimelineSection } from './timeline-section.tsx';

export function addRegistrationPages(router: IRouter, office: Office): void {
  const { payments, now, send } = office;
  router.get(officePaths.registration(':key'), async ({ params }, res) => {
    const id = String(params.key);
    const about = await registrations.find(office, id).catch((error: unknown) => {
      if (error instanceof Refusal) return undefined;
      throw error;
    });
    if (!about) return send(res, 404, NO_SUCH, <NoSuch id={id} res={res} />);
    const shown = {
      about,
      ...(await lettersAbout(office, id)),
      messages: await readMessages(payments, about.record.edition),
      signedIn: signedInOf(res),
    };
    send(res, 200, registrations.nameOf(about), <RegistrationPage {...shown} />);
  });
  router.get(officePaths.export(':key'), async ({ params }, res) => {
    const id = String(params.key);
    const data = registrations.isNamed(id) && (await exportOf(payments, id, now()));
    if (!data) return send(res, 404, NO_SUCH, <NoSuch id={id} res={res} />);
    res.set('Cache-Control', 'no-store').attachment(`${id}.json`).json(data);
  });
}

const NO_SUCH = 'There is no such registration';

function NoSuch({ id, res }: { id: string; res: Response }) {
  return (
    <>
      <p>
        There is no registration <code>{id}</code>. The address may be cut off.
      </p>
      {signedInOf(res).user.role === 'support' && (
        <p>
          If the log reported it, the command <code>{`act ${id} looked-at --by NAME`}</code> marks it.
        </p>
      )}
      <WayBack path={officePaths.list} back="Back to all people" />
    </>
  );
}

/** One registration: its state, its money, what can be done about it, what happened, and what she agreed to. */
function RegistrationPage(shown: ComponentProps<typeof TimelineSection>) {
  const { about, letters, signedIn } = shown;
  const { record, now } = about;
  return (
    <>
      <Lead about={about} hasFailed={letters.some(({ state }) => state === 'failed')} />
      <Section id="money" title="Money">
        <DataTable
          className="table table--narrow table--stacked statement"
          columns={[
            ['What', ({ what }) => what],
            ['How it stands', ({ how }) => how, 'plain'],
            ['Amount', ({ cents }) => formatCents(cents), 'plain sum'],
          ]}
          rows={moneyLines(record, now)}
        />
      </Section>
      <Commands
        about={about}
        commands={registrations.commands.filter((one) => mayGive(signedIn.user, one))}
      />
      <TimelineSection {...shown} />
      <RecordSection record={record} />
      <AnswersSection record={record} />
    </>
  );
}

function Lead({ about, hasFailed }: { about: Situation; hasFailed: boolean }) {
  const { record, now } = about;
  const { email, phoneNumber } = record.registrant;
  const { title } = record.edition.facts;
  return (
    <div className="person-lead">
      <p className="person-lead__state">{wordsOfState(stateOf(record, now))}</p>
      <p className="row">
        {email && <a href={mailLink(email)}>{email}</a>}
        {phoneNumber && <a href={phoneLink(phoneNumber)}>{phoneNumber}</a>}
        <span>{title}</span>
      </p>
      {needsOf(record, now).map(({ need }) => {
        const help = helpWith(need, about);
        return (
          <p key={need} className="row on-screen">
            <strong className="need">{needTitle(need)}</strong>
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
          {needTitle('letter-failed')}: see <a href="#timeline">what happened</a>
        </p>
      )}
      {standingOf(record, now).map((words) => (
        <p key={words}>{words}</p>
      ))}
    </div>
  );
}

/** What can be done about a registration now, by what people ask for, and what cannot, with the reason. */
function Commands({ about, commands }: { about: Situation; commands: readonly Command<Situation>[] }) {
  const refused = commands.filter((command) => command.refuses(about) !== undefined);
  // The form for a note is open below.
  const possible = commands.filter((command) => !refused.includes(command) && command.id !== addNote.id);
  const grouped = Object.entries(groups).map(
    ([group, title]) => [title, possible.filter((command) => command.group === group)] as const,
  );
  return (
    <Section id="commands" className="on-screen" title="What she asks for">
      {possible.length === 0 && <p>Nothing can be done about this registration now.</p>}
      <div className="command-groups">
        {grouped
          .filter(([, some]) => some.length > 0)
          .map(([title, some]) => (
            <div key={title}>
              <h3>{title}</h3>
              <ul className="command-list">
                {some.map(({ id, heading }) => (
                  <li key={id}>
                    <a className="more" href={officePaths.act(about.record.id, id)}>
                      {heading}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
      </div>
      {refused.length > 0 && (
        <details>
          <summary>Not possible now ({refused.length})</summary>
          <DetailsList rows={refused.map(({ heading, refuses }) => [heading, refuses(about)])} />
        </details>
      )}
    </Section>
  );
}
