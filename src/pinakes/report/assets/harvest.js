/* Papers by what became of them: one button a status. Without it all papers are shown. */
(() => {
  const table = document.querySelector(".papers"), list = document.querySelector(".choose");
  if (!table || !list) return;
  list.hidden = false;
  for (const button of list.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      for (const other of list.querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button));
      for (const row of table.querySelectorAll("tbody tr")) {
        const state = row.querySelector(".state");
        row.hidden = button.value !== "" && !(state && state.classList.contains(button.value));
      }
    });
  }
})();
