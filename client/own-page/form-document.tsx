import type { InputHTMLAttributes, ReactNode } from 'react';
import { PlainDocument } from '#client/ui/plain-documents.tsx';
import { undoPageWords } from '#shared/content/own-page-cancel.ts';
import { dataWords, dropPageWords, wordsOfNews } from '#shared/content/own-page-form-words.ts';
import type { OwnPageView, Sent } from '#shared/content/own-page-view.ts';
import { actWords, ownPageWords } from '#shared/content/own-page-words.ts';
import { formPaths, OWN_PAGE_PATH } from '#shared/own-page.ts';
import { News, OfficeNote, OfficeWays, type PageProps } from './parts.tsx';

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
        <OfficeNote view={view} />
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
  submit: string;
  whenSpent?: string | undefined;
  children: ReactNode;
}

/** The form; after too many failed proofs the office's contact, and a note if she may only view the page. */
export function OwnPageForm({ action, submit, whenSpent, view, office, sent, children }: OwnPageFormProps) {
  if (view.asOffice) return null;
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
        {whenSpent && <p>{whenSpent}</p>}
        <OfficeWays office={office} />
      </div>
    );
  }
  return (
    <form className="place-form" method="post" action={action} noValidate>
      <input type="hidden" name="token" value={view.token} />
      {children}
      <button type="submit" className="button">
        {submit}
      </button>
    </form>
  );
}

interface ProofFormProps extends FormDocumentProps {
  action: string;
  words: { submit: string; proofNote: string; spent?: string };
  children?: ReactNode;
}

export function ProofForm({ words, children, ...props }: ProofFormProps) {
  const { view, sent } = props;
  return (
    <OwnPageForm {...props} submit={words.submit} whenSpent={words.spent}>
      {children}
      <FormField {...proofInput(view.secondFactor)} note={words.proofNote} sent={sent} />
    </OwnPageForm>
  );
}

interface ProofPageProps extends ProofFormProps {
  words: ProofFormProps['words'] & { title: string; lede: string };
}

export function ProofPage({ action, words, children, ...props }: ProofPageProps) {
  return (
    <FormDocument {...props} title={words.title} lede={words.lede}>
      <ProofForm {...props} action={action} words={words}>
        {children}
      </ProofForm>
    </FormDocument>
  );
}

const PROOF_WORDS = { undo: undoPageWords, addressDropped: dropPageWords, data: dataWords };

export function ProofDocument({ act, ...props }: FormDocumentProps & { act: keyof typeof PROOF_WORDS }) {
  return <ProofPage {...props} action={formPaths[act]} words={PROOF_WORDS[act]} />;
}

interface FormFieldProps extends InputHTMLAttributes<HTMLInputElement> {
  name: string;
  label: string;
  note?: string;
  sent?: Sent | undefined;
}

export const fieldId = (name: string): string => `field-${name}`;

export function aboutField(name: string, note: string, sent: Sent | undefined) {
  const id = fieldId(name);
  const error = sent?.errors[name];
  const ids = [note && `${id}-note`, error && `${id}-error`].filter(Boolean).join(' ');
  return {
    id,
    error,
    described: { 'aria-invalid': error ? true : undefined, 'aria-describedby': ids || undefined },
  };
}

export function FieldNotes({ id, note, error }: { id: string; note: string; error: string | undefined }) {
  return (
    <>
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
    </>
  );
}

export function FormField({ name, label, note = '', sent, defaultValue, ...input }: FormFieldProps) {
  const { id, error, described } = aboutField(name, note, sent);
  return (
    <div className="field">
      <label className="field__label" htmlFor={id}>
        {label}
      </label>
      <input
        type="text"
        {...input}
        id={id}
        name={name}
        defaultValue={sent?.typed[name] ?? defaultValue}
        className="field__control"
        {...described}
      />
      <FieldNotes id={id} note={note} error={error} />
    </div>
  );
}

export function proofInput(kind: OwnPageView['secondFactor']) {
  return {
    name: 'proof',
    label: actWords.proof[kind],
    autoComplete: 'off',
    required: true,
    maxLength: 16,
    ...(kind === 'phone' && ({ inputMode: 'numeric' } as const)),
  };
}
