// What LLVM says in C++ only: how a pass is registered, and a few questions that its C interface does not answer.
// Everything that decides something is in Rust.

#include "llvm-c/Core.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

extern "C" void raddle_pass_run(LLVMModuleRef module);

namespace {
struct RaddlePass : PassInfoMixin<RaddlePass> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    raddle_pass_run(wrap(&module));
    return PreservedAnalyses::none();
  }
  // Functions that the programmer marked `optnone` have accesses, too.
  static bool isRequired() { return true; }
};

char *message(const std::string &text) { return LLVMCreateMessage(text.c_str()); }

// The name of a scope with the scopes around it, as a programmer writes it.
std::string qualified(const DIScope *scope) {
  if (!scope || isa<DIFile>(scope) || isa<DICompileUnit>(scope))
    return "";
  if (isa<DILexicalBlockBase>(scope))
    return qualified(scope->getScope());
  std::string around = qualified(scope->getScope());
  std::string name = scope->getName().str();
  if (name.empty()) {
    if (isa<DINamespace>(scope))
      name = "(anonymous namespace)";
    else if (isa<DICompositeType>(scope))
      name = isa_and_nonnull<DISubprogram>(scope->getScope()) ? "lambda" : "(unnamed)";
    else
      return around;
  }
  return around.empty() ? name : around + "::" + name;
}

// The file of a scope: as the compiler was given it, if that was relative to where the compiler ran, else the whole path.
// clang parts a path from the folder that it has in common with the one it runs in.
std::string file_of(const DIScope *scope, const Module *module) {
  std::string name = scope->getFilename().str(), folder = scope->getDirectory().str();
  if (name.empty() || name[0] == '/' || folder.empty())
    return name;
  for (DICompileUnit *unit : module->debug_compile_units())
    if (unit->getDirectory() == folder)
      return name;
  return folder + "/" + name;
}

// The structure that a type is, under its other names.
const DICompositeType *structure(const DIType *type) {
  while (auto *derived = dyn_cast_or_null<DIDerivedType>(type)) {
    auto tag = derived->getTag();
    if (tag != dwarf::DW_TAG_typedef && tag != dwarf::DW_TAG_const_type && tag != dwarf::DW_TAG_volatile_type &&
        tag != dwarf::DW_TAG_atomic_type && tag != dwarf::DW_TAG_restrict_type)
      return nullptr;
    type = derived->getBaseType();
  }
  auto *composite = dyn_cast_or_null<DICompositeType>(type);
  bool structured = composite && (composite->getTag() == dwarf::DW_TAG_structure_type ||
                                  composite->getTag() == dwarf::DW_TAG_class_type ||
                                  composite->getTag() == dwarf::DW_TAG_union_type);
  return structured ? composite : nullptr;
}
} // namespace

extern "C" {

void raddle_shim_register(PassBuilder &builder) {
  builder.registerPipelineStartEPCallback([](ModulePassManager &passes, OptimizationLevel) {
    passes.addPass(createModuleToFunctionPassAdaptor(SROAPass(SROAOptions::PreserveCFG)));
    passes.addPass(RaddlePass());
  });
  // Whether a run is controlled is the same for a whole loop: a small loop is made twice, with the hooks and without. The one
  // without is then as good as the plain one, once the loads that the hooks kept apart are joined again.
  builder.registerVectorizerStartEPCallback([](FunctionPassManager &passes, OptimizationLevel level) {
    if (level.getSizeLevel() > 0)
      return;
    passes.addPass(createFunctionToLoopPassAdaptor(SimpleLoopUnswitchPass(/*NonTrivial=*/true), /*UseMemorySSA=*/true));
    passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  });
}

// Splits the block before an instruction; the new code runs if the condition holds, which is unlikely. Returns the end
// of the new block.
LLVMValueRef raddle_shim_guard(LLVMValueRef before, LLVMValueRef condition) {
  auto *place = unwrap<Instruction>(before);
  auto *weights = MDBuilder(place->getContext()).createUnlikelyBranchWeights();
  return wrap(SplitBlockAndInsertIfThen(unwrap(condition), place, false, weights));
}

LLVMValueRef raddle_shim_object(LLVMValueRef pointer) { return wrap(getUnderlyingObject(unwrap(pointer), 0)); }

// Whether somebody else may come to know an address. To LLVM a volatile access tells it to the world; to other threads it does not.
int raddle_shim_captured(LLVMValueRef pointer) {
  struct Tracker : CaptureTracker {
    bool found = false;
    void tooManyUses() override { found = true; }
    bool captured(const Use *use) override {
      // The address of a global variable may also be part of a constant.
      auto *user = dyn_cast<Instruction>(use->getUser());
      found = !(user && user->isVolatile() && getLoadStorePointerOperand(user) == use->get() &&
                !(isa<StoreInst>(user) && use->getOperandNo() == 0));
      return found;
    }
  } tracker;
  PointerMayBeCaptured(unwrap(pointer), &tracker);
  return tracker.found;
}

// Tells of every loop of a function, and then of its blocks.
void raddle_shim_loops(LLVMValueRef value, void *state, void (*tell)(void *state, LLVMBasicBlockRef header),
                       void (*tell_block)(void *state, LLVMBasicBlockRef block, int goes_back)) {
  DominatorTree dominators(*unwrap<Function>(value));
  LoopInfo loops(dominators);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    tell(state, wrap(loop->getHeader()));
    for (BasicBlock *block : loop->blocks())
      tell_block(state, wrap(block), loop->isLoopLatch(block));
  }
}

LLVMBasicBlockRef raddle_shim_split_edge(LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
  return wrap(SplitEdge(unwrap(from), unwrap(to)));
}

// Where the first instruction after the allocas, phis and debug records of a block may go.
LLVMValueRef raddle_shim_first_place(LLVMBasicBlockRef block) { return wrap(&*unwrap(block)->getFirstInsertionPt()); }

LLVMValueRef raddle_shim_entry_place(LLVMBasicBlockRef block) {
  return wrap(&*unwrap(block)->getFirstNonPHIOrDbgOrAlloca());
}

// Constant expressions over these globals become instructions, so that each use can be replaced.
void raddle_shim_expand(LLVMValueRef *globals, size_t count) {
  SmallVector<Constant *, 16> constants;
  for (size_t i = 0; i < count; i++)
    constants.push_back(unwrap<Constant>(globals[i]));
  convertUsersOfConstantsToInstructions(constants);
}

void raddle_shim_keep(LLVMModuleRef module, LLVMValueRef global) {
  appendToUsed(*unwrap(module), {unwrap<GlobalValue>(global)});
}

// The innermost place of an instruction; what the compiler made up itself has the place of its function.
int raddle_shim_place(LLVMValueRef value, char **file, char **function, unsigned *line, unsigned *column) {
  auto *instruction = unwrap<Instruction>(value);
  const DILocation *location = instruction->getDebugLoc().get();
  const DISubprogram *around = instruction->getFunction()->getSubprogram();
  const DIScope *scope = location ? location->getScope() : around;
  if (!scope)
    return 0;
  *file = message(file_of(scope, instruction->getModule()));
  *line = location && location->getLine() ? location->getLine() : around ? around->getLine() : 0;
  *column = location && location->getLine() ? location->getColumn() : 0;
  *function = message(qualified(scope));
  return 1;
}

char *raddle_shim_folder(LLVMModuleRef module, char **file) {
  for (DICompileUnit *unit : unwrap(module)->debug_compile_units()) {
    *file = message(unit->getFilename().str());
    return message(unit->getDirectory().str());
  }
  *file = message(unwrap(module)->getSourceFileName());
  return message("");
}

int raddle_shim_function_place(LLVMValueRef value, char **file, char **name, unsigned *line) {
  auto *subprogram = unwrap<Function>(value)->getSubprogram();
  if (!subprogram)
    return 0;
  *file = message(file_of(subprogram, unwrap<Function>(value)->getParent()));
  *name = message(qualified(subprogram));
  *line = subprogram->getLine();
  return 1;
}

// The name of a variable: a global, a local one that has its own memory, or one whose value this is.
char *raddle_shim_variable(LLVMValueRef handle) {
  Value *value = unwrap(handle);
  if (auto *global = dyn_cast<GlobalVariable>(value)) {
    SmallVector<DIGlobalVariableExpression *, 1> known;
    global->getDebugInfo(known);
    // A static variable of a function goes by its own name there; one of a class or namespace by its whole name.
    if (known.empty())
      return nullptr;
    const DIGlobalVariable *variable = known[0]->getVariable();
    std::string around = isa_and_nonnull<DILocalScope>(variable->getScope()) ? "" : qualified(variable->getScope());
    std::string name = variable->getName().str();
    return message(around.empty() ? name : around + "::" + name);
  }
  SmallVector<DbgVariableIntrinsic *, 4> intrinsics;
  SmallVector<DbgVariableRecord *, 4> records;
  findDbgUsers(intrinsics, value, &records);
  for (DbgVariableRecord *record : records)
    if (record->getNumVariableLocationOps() == 1 && record->getExpression()->getNumElements() == 0)
      return message(record->getVariable()->getName().str());
  return nullptr;
}

// Tells of every structure of the debug information, and then of its members.
void raddle_shim_structures(LLVMModuleRef module, void *state,
                            void (*tell)(void *state, const void *id, const char *name, uint64_t size),
                            void (*tell_member)(void *state, const void *id, const char *name, uint64_t offset,
                                                uint64_t size, const void *type, int is_bit_field)) {
  DebugInfoFinder finder;
  finder.processModule(*unwrap(module));
  for (DIType *type : finder.types()) {
    const DICompositeType *composite = structure(type);
    if (!composite || composite->isForwardDecl())
      continue;
    std::string name = type->getName().empty() ? "" : qualified(type);
    tell(state, composite, name.c_str(), composite->getSizeInBits() / 8);
    if (composite != type)
      continue;
    for (DINode *element : composite->getElements()) {
      auto *member = dyn_cast_or_null<DIDerivedType>(element);
      if (!member || member->isStaticMember() ||
          (member->getTag() != dwarf::DW_TAG_member && member->getTag() != dwarf::DW_TAG_inheritance))
        continue;
      bool inherits = member->getTag() == dwarf::DW_TAG_inheritance;
      uint64_t size = inherits && member->getBaseType() ? member->getBaseType()->getSizeInBits() : member->getSizeInBits();
      tell_member(state, composite, member->getName().str().c_str(), member->getOffsetInBits() / 8, size / 8,
                  structure(member->getBaseType()), member->isBitField());
    }
  }
}
}
