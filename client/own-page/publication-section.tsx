import type { OwnPageView } from '#shared/content/own-page-view.ts';
import { publicationWords as words } from '#shared/content/publication.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import { PressForm, Section } from './parts.tsx';

/** Whether she agrees that her likeness is published, and the form that changes it. */
export function PublicationSection({ view: { publication, mayAct, token } }: { view: OwnPageView }) {
  if (!publication) return null;
  const says = publication.agrees ? words.agreed : words.notAgreed;
  return (
    <Section id="publication" title={words.title}>
      {mayAct ? (
        <PressForm action={formPaths.publication} token={token} submit={words.submit} note={says}>
          <label className="place-sure">
            <input type="checkbox" name="agrees" defaultChecked={publication.agrees} />{' '}
            <span>{words.tick}</span>
          </label>
        </PressForm>
      ) : (
        <p>{says}</p>
      )}
    </Section>
  );
}
