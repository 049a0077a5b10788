/** What is wrong with the whole form, announced when it appears (R3.5). */
export function FormError({ error }: { error: string | undefined }) {
  return (
    <p className="form-error" role="alert">
      {error}
    </p>
  );
}
