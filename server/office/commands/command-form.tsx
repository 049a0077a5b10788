import type { Request } from 'express';
import type { ReactNode } from 'react';
import * as v from 'valibot';
import { ForLine, LinkLine, PressForm, Section, Warning, WayBack } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import type { SignedIn } from '#server/users/user.ts';
import {
  type Command,
  choicesIn,
  type Field,
  type Fields,
  type LetterReading,
  type Said,
  type Told,
  type Typed,
} from './command.ts';
import { SaidView } from './said-view.tsx';

/** What a command is about, and where the user goes on. */
interface SubjectLinks {
  name: string;
  path: string;
  back: string;
}

interface CommandProps<About> {
  command: Command<About>;
  /** The URL of its form. */
  action: string;
  about: About;
  subject: SubjectLinks;
  signedIn: SignedIn;
  typed: Typed;
}

interface FormProps<About> extends CommandProps<About> {
  /** By the names of the fields. */
  errors?: Readonly<Record<string, string>>;
  /** Why it was not carried out. */
  problem?: string;
}

/** Submitting it shows what will happen; nothing is done yet. */
export function CommandForm<About>(props: FormProps<About>) {
  const { command, subject, errors = {}, problem } = props;
  return (
    <CommandPage subject={subject}>
      <p>{command.sentence}</p>
      {problem !== undefined && <Warning>{problem}</Warning>}
      {Object.keys(errors).length > 0 && <Warning>Please look at this once more. Nothing was done.</Warning>}
      <CommandFields {...props} />
    </CommandPage>
  );
}

export function CommandFields<About>(props: Omit<FormProps<About>, 'subject' | 'problem'>) {
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
  /** The text of the button that carries it out. */
  button: string;
  /** What came of trying it out. */
  tried?: string | undefined;
}

/** What will happen, and the button that does it. */
export function CommandPreview<About>(props: PreviewProps<About>) {
  const { command, action, subject, signedIn, typed, told, button, tried } = props;
  const names = namesOf(command);
  const given = Object.fromEntries(names.map((name) => [name, typed[name] ?? '']));
  const steps: readonly (readonly [step: string, words: string | false | undefined])[] = [
    ['confirm', button],
    ['try', command.trial?.words],
    ['letter', letterIn(told) && 'See it as an e-mail'],
    ['edit', names.length > 0 && 'Change what I gave'],
  ];
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
      <Section className="act-preview" id="told" title="What will happen">
        <SaidView says={told.says} />
      </Section>
      <PressForm
        className="act-form"
        action={action}
        token={signedIn.token}
        hidden={{ seen: told.version, ...given }}
      >
        <div className="row">
          {steps.map(
            ([step, words]) =>
              words && (
                <button
                  key={step}
                  type="submit"
                  className={step === 'confirm' ? 'button' : 'button button--quiet'}
                  name="step"
                  value={step}
                  formTarget={step === 'letter' ? '_blank' : undefined}
                >
                  {words}
                </button>
              ),
          )}
        </div>
      </PressForm>
    </CommandPage>
  );
}

interface DoneProps {
  says: readonly Said[];
  by: string;
  subject: SubjectLinks;
  /** The registration that was made. */
  made?: string | undefined;
}

/** What was done, in answer to the press; a letter that was shown before is not repeated. */
export function DonePage({ says, by, subject, made }: DoneProps) {
  return (
    <CommandPage subject={subject}>
      <div className="notice" role="status">
        <SaidView says={says.filter((said) => typeof said === 'string' || !('letter' in said))} isDone />
        <p className="fine">By {by}.</p>
      </div>
      {made !== undefined && <LinkLine to={officePaths.registration(made)}>To her registration</LinkLine>}
    </CommandPage>
  );
}

export function CommandPage({ subject, children }: { subject: SubjectLinks; children: ReactNode }) {
  return (
    <>
      <ForLine path={subject.path}>{subject.name}</ForLine>
      {children}
      <WayBack {...subject} />
    </>
  );
}

export function letterIn({ says }: Told): LetterReading | undefined {
  for (const said of says) if (typeof said === 'object' && 'letter' in said) return said.letter;
  return undefined;
}

const typedSchema = v.fallback(v.record(v.string(), v.string()), {});

/** What was typed into the form that a request sends; nothing without one. */
export const typedIn = ({ body }: Request): Typed => v.parse(typedSchema, body);

/** The names of the values that a form sends. */
export function namesOf({ fields }: { fields: Fields<never> }): string[] {
  return Object.entries(fields).flatMap(([name, { input }]) =>
    input === 'moment' ? [name, `${name}-time`] : [name],
  );
}

type Shown<About> = Omit<Field<About>, 'takes' | 'input'> & { input?: keyof typeof INPUTS | 'text' | 'mark' };

interface FieldProps<About> extends Pick<CommandProps<About>, 'about' | 'typed'> {
  name: string;
  field: Shown<About>;
  error?: string | undefined;
}

const TIME = { label: 'At what time, if it matters', input: 'time', isOptional: true } as const;

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
    ...(described && { 'aria-describedby': described }),
    ...(error && { 'aria-invalid': true }),
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
      {input === 'moment' && <FieldView name={`${name}-time`} field={TIME} about={about} typed={typed} />}
    </div>
  );
}

const INPUTS = {
  amount: { type: 'text', inputMode: 'decimal', autoComplete: 'off' },
  day: { type: 'date' },
  moment: { type: 'date' },
  time: { type: 'time' },
  line: { type: 'text', autoComplete: 'off' },
  // The browser's own check would refuse an address that was copied with invisible marks.
  email: { type: 'text', inputMode: 'email', autoComplete: 'off', autoCapitalize: 'none', spellCheck: false },
  tel: { type: 'tel', autoComplete: 'off' },
  url: { type: 'text', inputMode: 'url', autoComplete: 'off', autoCapitalize: 'none', spellCheck: false },
} as const;
