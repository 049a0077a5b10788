import { undoPageWords } from '#shared/content/own-page-cancel.ts';
import { dropPageWords } from '#shared/content/own-page-details.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import { FormDocument, type FormDocumentProps, OwnPageForm } from './form-document.tsx';
import { ProofField } from './form-field.tsx';

const WORDS = { undo: undoPageWords, addressDropped: dropPageWords };

/** The page for a press that needs nothing but her proof: she takes back a cancellation, or drops a new address. */
export function ProofDocument({ act, ...props }: FormDocumentProps & { act: keyof typeof WORDS }) {
  const { title, lede, proofNote, submit, spent } = WORDS[act];
  const { view, sent } = props;
  return (
    <FormDocument {...props} title={title} lede={lede}>
      <OwnPageForm {...props} action={formPaths[act]} submit={submit} whenSpent={spent}>
        <ProofField kind={view.secondFactor} note={proofNote} sent={sent} />
      </OwnPageForm>
    </FormDocument>
  );
}
