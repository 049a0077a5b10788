import type { ReactNode } from 'react';
import {
  DataTable,
  DetailsList,
  LinkLine,
  PressForm,
  Section,
  Warning,
  type Way,
  WayBack,
} from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import type { SignedIn } from '#server/office/users/user.ts';
import { type Command, choicesIn, type Field, type Said, type Told, type Typed } from './command.ts';

interface SubjectLinks extends Way {
  name: string;
}

export function CommandPage({ subject, children }: { subject: SubjectLinks; children: ReactNode }) {
  return (
    <>
      <p className="fine">
        For <a href={subject.path}>{subject.name}</a>
      </p>
      {children}
      <WayBack {...subject} />
    </>
  );
}

interface FormProps<About> {
  command: Command<About>;
  action: string;
  about: About;
  signedIn: SignedIn;
  typed: Typed;
  errors?: Typed;
}

interface CommandProps<About> extends FormProps<About> {
  subject: SubjectLinks;
}

/** Submitting it shows what will happen; nothing is done yet. */
export function CommandForm<About>({ problem, ...props }: CommandProps<About> & { problem?: string }) {
  return (
    <CommandPage subject={props.subject}>
      <p>{props.command.sentence}</p>
      {problem !== undefined && <Warning>{problem}</Warning>}
      {props.errors && <Warning>Please look at this once more. Nothing was done.</Warning>}
      <CommandFields {...props} />
    </CommandPage>
  );
}

export function CommandFields<About>(props: FormProps<About>) {
  const { command, action, about, signedIn, typed, errors = {} } = props;
  return (
    <PressForm className="act-form" action={action} token={signedIn.token}>
      {Object.entries(command.fields).map(([name, field]) => (
        <FieldView key={name} name={name} field={field} about={about} typed={typed} error={errors[name]} />
      ))}
      <button type="submit" className="button">
        Show what will happen
      </button>
    </PressForm>
  );
}

interface PreviewProps<About> extends CommandProps<About> {
  told: Told;
  button: string;
  tried?: string | undefined;
}

export function CommandPreview<About>(props: PreviewProps<About>) {
  const { command, action, subject, signedIn, typed, told, button, tried } = props;
  const names = Object.keys(command.fields);
  const given = Object.fromEntries(names.map((name) => [name, typed[name] ?? '']));
  const steps = [
    ['confirm', button],
    ['try', command.trial?.words],
    ['edit', names.length > 0 && 'Change what I gave'],
  ] as const;
  return (
    <CommandPage subject={subject}>
      {tried !== undefined && (
        <div className="notice" role="status">
          <p>{tried}</p>
        </div>
      )}
      {told.outcome === 'changed' && (
        <Warning>
          This was done already, or something has changed meanwhile. Nothing was done now. If you still want
          it, this would happen:
        </Warning>
      )}
      <Section id="told" title="What will happen">
        <SaidView says={told.says} />
      </Section>
      <PressForm
        className="row"
        action={action}
        token={signedIn.token}
        hidden={{ seen: told.version, ...given }}
      >
        {steps.map(
          ([step, words]) =>
            words && (
              <button
                key={step}
                type="submit"
                className={step === 'confirm' ? 'button' : 'button button--quiet'}
                name="step"
                value={step}
              >
                {words}
              </button>
            ),
        )}
      </PressForm>
    </CommandPage>
  );
}

export function DonePage({
  says,
  by,
  subject,
  made,
}: Omit<Told, 'outcome' | 'version'> & { by: string; subject: SubjectLinks }) {
  return (
    <CommandPage subject={subject}>
      <div className="notice" role="status">
        <SaidView says={says} isDone />
        <p className="fine">By {by}.</p>
      </div>
      {made !== undefined && <LinkLine to={officePaths.registration(made)}>To her registration</LinkLine>}
    </CommandPage>
  );
}

interface SaidProps {
  says: readonly Said[];
  isDone?: boolean;
}

/** What would be done, or was; a letter that was shown before is not repeated. */
function SaidView({ says, isDone = false }: SaidProps) {
  return says.map((said) => {
    const key = JSON.stringify(said);
    if (typeof said === 'string')
      return <p key={key}>{/^https?:\S+$/.test(said) ? <code>{said}</code> : said}</p>;
    if ('rows' in said) return <DetailsList key={key} rows={said.rows} />;
    if ('letter' in said)
      return isDone ? null : (
        <section key={key} className="letter-reading" aria-labelledby="letter-reading">
          <h3 id="letter-reading">{said.letter.subject}</h3>
          <p className="as-written">{said.letter.text.trim().replace(/ +$/gm, '')}</p>
        </section>
      );
    return (
      <DataTable
        key={key}
        className="table table--narrow table--stacked"
        caption="How it stands"
        columns={[
          ['What', ([name]) => name],
          [isDone ? 'Before' : 'Now', ([, now]) => now],
          [isDone ? 'Now' : 'Then', ([, , then]) => then],
        ]}
        rows={said.compared}
      />
    );
  });
}

interface FieldProps<About> extends Pick<FormProps<About>, 'about' | 'typed'> {
  name: string;
  field: Field<About>;
  error?: string | undefined;
}

function FieldView<About>({ name, field, about, typed, error }: FieldProps<About>) {
  const { label, hint, input = 'line' } = field;
  const [id, hintId, errorId] = [`field-${name}`, `hint-${name}`, `error-${name}`];
  const described = [hint && hintId, error && errorId].filter(Boolean).join(' ');
  // No form sends a box that is not ticked.
  const isUnticked = input === 'mark' && Object.keys(typed).length > 0;
  const value = typed[name] ?? (isUnticked ? '' : (field.initial?.(about) ?? ''));
  const control = {
    id,
    name,
    required: !field.isOptional,
    defaultValue: value,
    'aria-describedby': described || undefined,
    'aria-invalid': error ? true : undefined,
  };
  if (input === 'mark')
    return (
      <div className="mark">
        <input id={id} name={name} type="checkbox" value="yes" defaultChecked={value !== ''} />
        <label htmlFor={id}>{label}</label>
      </div>
    );
  const choices = choicesIn(field, about);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {hint && (
        <p id={hintId} className="fine">
          {hint}
        </p>
      )}
      {choices ? (
        <select {...control}>
          {choices.length > 1 && <option value="">Please choose</option>}
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.words}
            </option>
          ))}
        </select>
      ) : input === 'text' ? (
        <textarea {...control} rows={8} />
      ) : (
        <input {...control} {...INPUTS[input]} />
      )}
      {error && (
        <p id={errorId} className="error">
          {error}
        </p>
      )}
    </div>
  );
}

const PLAIN = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;

const INPUTS = {
  amount: { type: 'text', inputMode: 'decimal', autoComplete: 'off' },
  day: { type: 'date' },
  moment: { type: 'datetime-local' },
  line: { type: 'text', autoComplete: 'off' },
  // The browser's own check would refuse an address that was copied with invisible marks.
  email: { type: 'text', inputMode: 'email', ...PLAIN },
  tel: { type: 'tel', autoComplete: 'off' },
  url: { type: 'text', inputMode: 'url', ...PLAIN },
} as const;
