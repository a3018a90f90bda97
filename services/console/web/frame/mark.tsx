/** Switchboard's logo, as in packages/kit/design. */
export const Mark = ({ size = 24 }: { size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
    <rect width="24" height="24" rx="6" fill="#2f4ff0" />
    <circle cx="7.5" cy="8" r="2" fill="#fff" />
    <circle cx="16.5" cy="16" r="2" fill="#fff" />
    <path
      d="M9.5 8h2.2c2.4 0 .6 8 3 8h-.2"
      fill="none"
      stroke="#fff"
      strokeWidth="1.6"
      strokeLinecap="round"
    />
  </svg>
);
