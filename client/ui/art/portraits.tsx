interface PortraitProps {
  ground: string;
  clothes: string;
  skin: string;
  /** Drawn behind the face. */
  hairBehind: string;
  /** Drawn over the face. */
  hairOver: string;
}

function Portrait({ ground, clothes, skin, hairBehind, hairOver }: PortraitProps) {
  return (
    <svg viewBox="0 0 160 160" aria-hidden="true">
      <path className={ground} d="M0 0H160V160H0Z" />
      <path className="art-hair" d={hairBehind} />
      <path className={skin} d="M68 84H92V116C92 126 68 126 68 116Z" />
      <path
        className={clothes}
        d="M18 160C20 130 44 118 68 112 74 124 86 124 92 112 116 118 140 130 142 160Z"
      />
      <path
        className={skin}
        d="M80 36C98 36 106 50 105 66 104 84 92 98 80 98S56 84 55 66C54 50 62 36 80 36Z"
      />
      <path className="art-hair" d={hairOver} />
    </svg>
  );
}

/** The author: long loose hair, a sun behind. */
export function AuthorPortrait() {
  return (
    <Portrait
      ground="art-glow"
      clothes="art-accent"
      skin="art-skin"
      hairBehind="M80 20C112 20 122 48 120 76 118 100 124 116 130 132 112 142 100 142 94 128H66C60 142 48 142 30 132 34 116 42 100 40 76 38 48 48 20 80 20Z"
      hairOver="M54 72C50 40 66 28 82 28 102 28 110 46 106 70 102 58 96 50 84 46 74 54 60 56 54 72Z"
    />
  );
}

/** The memoirist: a knot of hair, turned to the page. */
export function MemoiristPortrait() {
  return (
    <Portrait
      ground="art-mid"
      clothes="art-deep"
      skin="art-skin-deep"
      hairBehind="M80 6A18 18 0 0 1 92 36H68A18 18 0 0 1 80 6ZM80 28C104 28 112 46 110 66H50C48 46 56 28 80 28Z"
      hairOver="M52 70C50 44 64 30 80 30S110 44 108 70C104 56 96 48 80 48S56 56 52 70Z"
    />
  );
}

/** The television host: a bob with a fringe. */
export function TelevisionHostPortrait() {
  return (
    <Portrait
      ground="art-sky"
      clothes="art-near"
      skin="art-skin-dark"
      hairBehind="M80 22C108 22 120 42 120 70 120 88 116 100 108 106H52C44 100 40 88 40 70 40 42 52 22 80 22Z"
      hairOver="M52 66C48 40 62 26 80 26S112 40 108 66C92 64 70 62 62 52 60 58 56 62 52 66Z"
    />
  );
}

/** The meditation teacher: cropped hair and a shawl. */
export function MeditationTeacherPortrait() {
  return (
    <Portrait
      ground="art-far"
      clothes="art-wood"
      skin="art-skin"
      hairBehind="M80 26C102 26 112 42 110 64L106 76H54L50 64C48 42 58 26 80 26Z"
      hairOver="M53 64C50 42 64 28 80 28S110 42 107 64C104 52 98 46 92 42 82 46 62 46 53 64Z"
    />
  );
}
