interface PressFormProps {
  action: string;
  token: string;
  submit: string;
}

/** A form that is only a button. */
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
