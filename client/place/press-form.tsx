interface PressFormProps {
  action: string;
  token: string;
  submit: string;
}

/** One press, with nothing to fill in. */
export function PressForm({ action, token, submit }: PressFormProps) {
  return (
    <form className="place-press" method="post" action={action}>
      <input type="hidden" name="token" value={token} />
      <button type="submit" className="button button--quiet">
        {submit}
      </button>
    </form>
  );
}
