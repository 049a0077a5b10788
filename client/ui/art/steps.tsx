/** Commit: stepping stones to a door that is ajar. */
export function Threshold() {
  return (
    <svg viewBox="0 0 240 180" aria-hidden="true">
      <path className="art-halo" d="M28 150C6 96 60 22 128 22S236 92 214 150Z" />
      <path
        className="art-near"
        d="M12 158C50 126 190 126 228 158 228 170 218 178 204 178H36C22 178 12 170 12 158Z"
      />
      <path className="art-deep" d="M90 138V84A32 32 0 0 1 154 84V138Z" />
      <path className="art-light" d="M98 138V86A24 24 0 0 1 146 86V138Z" />
      <circle className="art-sun" cx="122" cy="106" r="13" />
      <path className="art-accent" d="M146 138V86C146 72 154 64 172 62V148Z" />
      <g className="art-path">
        <ellipse cx="118" cy="146" rx="14" ry="3.5" />
        <ellipse cx="100" cy="156" rx="18" ry="4.5" />
        <ellipse cx="122" cy="168" rx="23" ry="5.5" />
      </g>
    </svg>
  );
}

/** Do the work: a bowl among others on a round table. */
export function SharedTable() {
  return (
    <svg viewBox="0 0 240 180" aria-hidden="true">
      <path className="art-halo" d="M16 140C10 70 66 20 124 24S236 78 222 140Z" />
      <g className="art-stroke-accent">
        <path d="M108 66c-9-12 8-18 0-32" />
        <path d="M132 66c-9-12 8-18 0-32" />
      </g>
      <ellipse className="art-wood" cx="120" cy="138" rx="104" ry="26" />
      <ellipse className="art-path" cx="120" cy="133" rx="104" ry="24" />
      <path className="art-mid" d="M34 122H78C78 136 70 142 56 142S34 136 34 122Z" />
      <path className="art-mid" d="M162 122H206C206 136 198 142 184 142S162 136 162 122Z" />
      <ellipse className="art-light" cx="56" cy="122" rx="22" ry="4" />
      <ellipse className="art-light" cx="184" cy="122" rx="22" ry="4" />
      <path className="art-accent" d="M78 88H162C162 118 148 134 120 134S78 118 78 88Z" />
      <ellipse className="art-light" cx="120" cy="88" rx="42" ry="8" />
      <ellipse className="art-sun" cx="120" cy="90" rx="33" ry="5" />
    </svg>
  );
}

/** Embrace lasting freedom: two birds over a path that goes on. */
export function OpenSky() {
  return (
    <svg viewBox="0 0 240 180" aria-hidden="true">
      <clipPath id="open-sky-frame">
        <path d="M14 152C4 84 50 16 122 20S238 80 226 152C224 164 216 170 204 170H36C24 170 16 164 14 152Z" />
      </clipPath>
      <g clipPath="url(#open-sky-frame)">
        <path className="art-halo" d="M0 0H240V180H0Z" />
        <circle className="art-sun" cx="152" cy="92" r="30" />
        <path className="art-far" d="M0 130C56 100 98 106 134 118S200 122 240 100V180H0Z" />
        <path className="art-near" d="M0 158C56 118 110 122 146 132S208 140 240 132V180H0Z" />
        <path
          className="art-path"
          d="M80 172C88 152 142 152 140 142 138 134 120 136 122 128L127 127C126 133 148 132 150 142 152 154 122 156 120 172Z"
        />
      </g>
      <g className="art-stroke-ink">
        <path d="M58 62c8-9 14-8 18 0 5-8 12-9 19-1" />
        <path d="M98 42c5-6 10-6 13 0 4-6 8-6 13-1" />
      </g>
    </svg>
  );
}
