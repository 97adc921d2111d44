"use strict";
const quiz = JSON.parse(document.getElementById("data").textContent);
const result = document.querySelector("output");
let answered = 0;
let right = 0;

function answer(question, field, place) {
  const buttons = [...field.querySelectorAll("button")];
  answered += 1;
  right += place === question.intruder ? 1 : 0;
  buttons.forEach((button, number) => {
    button.disabled = true;
    if (number === question.intruder) button.className = "right";
    else if (number === place) button.className = "wrong";
  });
  field.querySelector("p").textContent = question.about;
  const chance = quiz.questions.reduce((sum, one) => sum + 1 / one.words.length, 0);
  result.textContent = answered < quiz.questions.length
    ? `${right} of ${answered} found`
    : `${right} of ${answered} found; by chance ${chance.toFixed(1)}`;
}

quiz.questions.forEach((question, number) => {
  const field = document.createElement("fieldset");
  const legend = document.createElement("legend");
  legend.textContent = `${number + 1} of ${quiz.questions.length}`;
  field.append(legend);
  question.words.forEach((word, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = word;
    button.dir = "auto";
    button.addEventListener("click", () => answer(question, field, place));
    field.append(button);
  });
  const about = document.createElement("p");
  about.className = "muted";
  field.append(about);
  document.querySelector("main").append(field);
});
