#include "compiler/strategy/plan/steps.h"
