import type { Request } from 'express';
import type { ReactNode } from 'react';
import * as v from 'valibot';
import { ForLine, PressForm, Section, Warning, WayBack } from '#server/office/parts.tsx';
import type { SignedIn } from '#server/users/user.ts';
import {
  type Command,
  choicesIn,
  type Field,
  type Fields,
  type LetterReading,
  type Told,
  type Typed,
} from './command.ts';
import { ToldView } from './notices.tsx';

interface CommandProps<About> {
  command: Command<About>;
  /** The URL of its form. */
  action: string;
  about: About;
  /** What it is about, and where the user goes on. */
  subject: { name: string; path: string; back: string };
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
  return (
    <CommandPage subject={subject}>
      {tried !== undefined && (
        <div className="notice" role="status">
          <p>{tried}</p>
        </div>
      )}
      {told.outcome === 'changed' && (
        <Warning>Something has changed meanwhile. Nothing was done. Now this would happen:</Warning>
      )}
      <WhatIsTold title="What will happen" says={told.says} />
      <PressForm
        className="act-form"
        action={action}
        token={signedIn.token}
        hidden={{ seen: told.version, ...given }}
      >
        <div className="row">
          <Step step="confirm">{button}</Step>
          {command.trial && <Step step="try">{command.trial.words}</Step>}
          {letterIn(told) && <Step step="letter">See it as an e-mail</Step>}
          {names.length > 0 && <Step step="edit">Change what I gave</Step>}
        </div>
      </PressForm>
    </CommandPage>
  );
}

function Step({ step, children }: { step: 'confirm' | 'try' | 'letter' | 'edit'; children: string }) {
  return (
    <button
      type="submit"
      className={step === 'confirm' ? 'button' : 'button button--quiet'}
      name="step"
      value={step}
      formTarget={step === 'letter' ? '_blank' : undefined}
    >
      {children}
    </button>
  );
}

export function WhatIsTold({ title, says }: Pick<Told, 'says'> & { title: string }) {
  return (
    <Section className="act-preview" id="told" title={title}>
      <ToldView says={says} />
    </Section>
  );
}

export function letterIn({ says }: Told): LetterReading | undefined {
  for (const said of says) if (typeof said === 'object' && 'letter' in said) return said.letter;
  return undefined;
}

export function CommandPage({
  subject,
  children,
}: Pick<CommandProps<never>, 'subject'> & { children: ReactNode }) {
  return (
    <>
      <ForLine path={subject.path}>{subject.name}</ForLine>
      {children}
      <WayBack {...subject} />
    </>
  );
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

interface FieldProps<About> extends Pick<CommandProps<About>, 'about' | 'typed'> {
  name: string;
  field: Field<About>;
  error: string | undefined;
}

function FieldView<About>({ name, field, about, typed, error }: FieldProps<About>) {
  const { label, hint, input = 'line' } = field;
  const choices = choicesIn(field, about);
  const [id, hintId, errorId] = [`field-${name}`, `hint-${name}`, `error-${name}`];
  const described = [hint && hintId, error && errorId].filter(Boolean).join(' ');
  const shared = {
    id,
    name,
    required: !field.isOptional,
    ...(described && { 'aria-describedby': described }),
    ...(error && { 'aria-invalid': true }),
  };
  // No form sends a box that is not ticked.
  const isUnticked = input === 'mark' && Object.keys(typed).length > 0;
  const value = typed[name] ?? (isUnticked ? '' : (field.initial?.(about) ?? ''));
  if (input === 'mark')
    return (
      <div className="mark">
        <input id={id} name={name} type="checkbox" value="yes" defaultChecked={value !== ''} />
        <label htmlFor={id}>{label}</label>
      </div>
    );
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {hint && (
        <p id={hintId} className="fine">
          {hint}
        </p>
      )}
      {choices ? (
        <select {...shared} defaultValue={value}>
          {choices.length > 1 && <option value="">Please choose</option>}
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.words}
            </option>
          ))}
        </select>
      ) : input === 'text' ? (
        <textarea {...shared} rows={8} defaultValue={value} />
      ) : (
        <input {...shared} {...INPUTS[input]} defaultValue={value} />
      )}
      {input === 'moment' && (
        <>
          <label htmlFor={`${id}-time`}>At what time, if it matters</label>
          <input
            id={`${id}-time`}
            name={`${name}-time`}
            type="time"
            defaultValue={typed[`${name}-time`] ?? ''}
          />
        </>
      )}
      {error && (
        <p id={errorId} className="error">
          {error}
        </p>
      )}
    </div>
  );
}

const INPUTS = {
  amount: { type: 'text', inputMode: 'decimal', autoComplete: 'off' },
  day: { type: 'date' },
  moment: { type: 'date' },
  line: { type: 'text', autoComplete: 'off' },
  // The browser's own check would refuse an address that was copied with invisible marks.
  email: { type: 'text', inputMode: 'email', autoComplete: 'off', autoCapitalize: 'none', spellCheck: false },
  tel: { type: 'tel', autoComplete: 'off' },
  url: { type: 'text', inputMode: 'url', autoComplete: 'off', autoCapitalize: 'none', spellCheck: false },
} as const;
