import { publicationFormWords as formWords } from '#shared/content/own-page-form-words.ts';
import type { OwnPageView } from '#shared/content/own-page-view.ts';
import { publicationWords as words } from '#shared/content/publication.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import { type FormDocumentProps, ProofPage } from './form-document.tsx';
import { PressForm, PressLink, Section } from './parts.tsx';

/** Whether she agrees that her likeness is published, and how she changes it. */
export function PublicationSection({ view: { publication, mayAct, token } }: { view: OwnPageView }) {
  if (!publication) return null;
  const says = publication.agrees ? words.agreed : words.notAgreed;
  return (
    <Section id="publication" title={words.title}>
      {mayAct && publication.agrees ? (
        <PressForm action={formPaths.publication} token={token} submit={words.submit} note={says}>
          <label className="place-sure">
            <input type="checkbox" name="agrees" defaultChecked /> <span>{words.tick}</span>
          </label>
        </PressForm>
      ) : (
        <p>{says}</p>
      )}
      {mayAct && !publication.agrees && <PressLink href={formPaths.publication}>{formWords.link}</PressLink>}
    </Section>
  );
}

/** The form by which she agrees to it. */
export function PublicationDocument(props: FormDocumentProps) {
  const page = { ...formWords, title: words.title, lede: words.tick };
  return (
    <ProofPage {...props} action={formPaths.publication} words={page}>
      <input type="hidden" name="agrees" value="on" />
    </ProofPage>
  );
}
