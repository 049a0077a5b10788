import type { InputHTMLAttributes, ReactNode } from 'react';
import { PlainDocument } from '#client/ui/plain-documents.tsx';
import { undoPageWords } from '#shared/content/own-page-cancel.ts';
import { dataWords, dropPageWords, wordsOfNews } from '#shared/content/own-page-form-words.ts';
import type { OwnPageView, Sent } from '#shared/content/own-page-view.ts';
import { actWords, ownPageWords } from '#shared/content/own-page-words.ts';
import { formPaths, OWN_PAGE_PATH } from '#shared/own-page.ts';
import { News, OfficeWays, type PageProps, PostForm } from './parts.tsx';

export interface FormDocumentProps extends PageProps {
  view: OwnPageView;
  /** What she submitted when it was refused; absent when the page is first opened. */
  sent?: Sent | undefined;
}

interface FrameProps extends FormDocumentProps {
  title: string;
  lede: string;
  children: ReactNode;
}

export function FormDocument({ title, lede, view, look, sent, children }: FrameProps) {
  const { siteName } = view.edition.facts;
  const errors = Object.entries(sent?.errors ?? {});
  return (
    <PlainDocument
      title={`${errors.length > 0 ? ownPageWords.errorTitle : ''}${title} – ${siteName}`}
      look={look}
      className="place place--form"
    >
      <header>
        <p className="eyebrow">
          <a href={OWN_PAGE_PATH}>{ownPageWords.back}</a>
        </p>
        <h1>{title}</h1>
        <p className="lede">{lede}</p>
        {view.told && <News told={view.told} text={wordsOfNews(view.told)} />}
        {errors.length > 0 && <Errors errors={errors} />}
        {sent?.proofsSpent && (
          <p className="place-error" role="alert">
            {actWords.proofsSpent}
          </p>
        )}
      </header>
      {children}
    </PlainDocument>
  );
}

/** The errors, each with a link to its field: without a script, the browser shows the page from its top. */
function Errors({ errors }: { errors: readonly [name: string, error: string][] }) {
  return (
    <div className="place-error" role="alert">
      <p>{ownPageWords.errors}</p>
      <ul className="place-links">
        {errors.map(([name, error]) => (
          <li key={name}>
            <a href={`#${fieldId(name)}`}>{error}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface OwnPageFormProps extends FormDocumentProps {
  action: string;
  hidden?: Readonly<Record<string, string | number>>;
  /** With `proofNote` the form asks for her proof, after its other fields. */
  words: { submit: string; proofNote?: string; spent?: string };
  children?: ReactNode;
}

/** The form; after too many failed proofs the office's contact, and a note if she may only view the page. */
export function OwnPageForm({ action, hidden, words, view, office, sent, children }: OwnPageFormProps) {
  const { submit, proofNote, spent } = words;
  if (!view.mayAct) {
    return (
      <div className="place-note">
        <p>{ownPageWords.actsElsewhere}</p>
        <p>{ownPageWords.withoutMail}</p>
        <OfficeWays office={office} />
      </div>
    );
  }
  if (sent?.proofsSpent) {
    return (
      <div>
        {spent && <p>{spent}</p>}
        <OfficeWays office={office} />
      </div>
    );
  }
  return (
    <PostForm
      className="place-form"
      action={action}
      noValidate
      hidden={{ token: view.token, ...hidden }}
      submit={submit}
    >
      {children}
      {proofNote !== undefined && (
        <FormField {...proofInput(view.secondFactor)} note={proofNote} sent={sent} />
      )}
    </PostForm>
  );
}

interface FormPageProps extends OwnPageFormProps {
  words: OwnPageFormProps['words'] & { title: string; lede: string };
}

/** A page with nothing but a form. */
export function FormPage({ action, words, children, ...props }: FormPageProps) {
  return (
    <FormDocument {...props} title={words.title} lede={words.lede}>
      <OwnPageForm {...props} action={action} words={words}>
        {children}
      </OwnPageForm>
    </FormDocument>
  );
}

const PROOF_WORDS = { undo: undoPageWords, addressDropped: dropPageWords, data: dataWords };

export function ProofDocument({ act, ...props }: FormDocumentProps & { act: keyof typeof PROOF_WORDS }) {
  return <FormPage {...props} action={formPaths[act]} words={PROOF_WORDS[act]} />;
}

export const fieldId = (name: string): string => `field-${name}`;

type Attributes = InputHTMLAttributes<HTMLInputElement>;

interface FieldProps extends Pick<Attributes, 'defaultValue'> {
  name: string;
  label: ReactNode;
  note?: string | undefined;
  /** After a refused submission the field holds what she typed. */
  sent?: Sent | undefined;
}

type Control = Pick<Attributes, 'name' | 'className' | 'defaultValue' | 'aria-invalid' | 'aria-describedby'>;
type FieldFrameProps = FieldProps & { children: (control: Control & { id: string }) => ReactNode };

/** A field's label, note and error around its control, which gets what ties them together. */
export function FieldFrame({ name, label, note, sent, defaultValue, children }: FieldFrameProps) {
  const id = fieldId(name);
  const error = sent?.errors[name];
  const describedBy = [note && `${id}-note`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label className="field__label" htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        name,
        className: 'field__control',
        defaultValue: sent?.typed[name] ?? defaultValue,
        'aria-invalid': error ? true : undefined,
        'aria-describedby': describedBy || undefined,
      })}
      {note && (
        <p className="field__note" id={`${id}-note`}>
          {note}
        </p>
      )}
      {error && (
        <p className="field__error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

export function FormField({
  name,
  label,
  note,
  sent,
  defaultValue,
  ...input
}: FieldProps & Omit<Attributes, 'children'>) {
  return (
    <FieldFrame name={name} label={label} note={note} sent={sent} defaultValue={defaultValue}>
      {(control) => <input type="text" {...input} {...control} />}
    </FieldFrame>
  );
}

function proofInput(kind: OwnPageView['secondFactor']) {
  return {
    name: 'proof',
    label: actWords.proof[kind],
    autoComplete: 'off',
    required: true,
    maxLength: 16,
    ...(kind === 'phone' && ({ inputMode: 'numeric' } as const)),
  };
}
