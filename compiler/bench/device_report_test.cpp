// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/bench/device_report.h"

#include <gtest/gtest.h>

#include "llvm/Support/JSON.h"

namespace einc::bench {
namespace {

// A device of 10 GB/s and 100 GFLOP/s: the ridge is at 10 operations a byte.
DeviceReport sample(double operations, double bytes) {
  DeviceReport r;
  r.version = "0.0";
  r.kernel = "f";
  r.source = "f.tc";
  r.device = "a device";
  r.kind = "discrete";
  r.api = "1.3";
  r.limits = {{"invocations", 1024}};
  r.comparedWith = "compared";
  r.dispatches = {"f_0 (1 x 1 x 1 workgroups)", "f_1 (2 x 1 x 1 workgroups)"};
  r.work.operations = operations;
  r.work.bytes = bytes;
  r.arithmeticType = "f32";
  r.runs = {{0.2, 0.4, 0.2}, 5, operations};
  r.copies = {{0.1, 0.1, 0.3}, 1, 1e9};
  r.arithmetic = {{0.02, 0.01, 0.02}, 1, 1e9};
  r.rounds = 3;
  return r;
}

TEST(DeviceReport, TheRooflineSaysWhatBounds) {
  DeviceReport much = sample(1e10, 1e8);  // 100 operations a byte
  EXPECT_FALSE(isBoundByMemory(much));
  EXPECT_DOUBLE_EQ(leastByArithmetic(much), 0.1);
  EXPECT_DOUBLE_EQ(leastByCopies(much), 0.01);
  DeviceReport little = sample(1e8, 1e9);
  EXPECT_TRUE(isBoundByMemory(little));
  EXPECT_TRUE(isBoundByMemory(sample(0, 1e9)));
  EXPECT_DOUBLE_EQ(leastByCopies(little), 0.1);
}

TEST(DeviceReport, RatesAreOfTheMedianAndTheBest) {
  Timed timed{{0.02, 0.01, 0.02}, 1, 1e9};
  EXPECT_DOUBLE_EQ(timed.rate(), 5e10);
  EXPECT_DOUBLE_EQ(timed.best(), 1e11);
  EXPECT_EQ(Timed().rate(), 0);
}

TEST(DeviceReport, TheTable) {
  DeviceReport r = sample(1e10, 1e8);
  std::string text = tableText(r);
  for (const char* part :
       {"a device (discrete, Vulkan 1.3)", "invocations 1024", "f_0 (1", "; f_1 (2",
        "10.0 GB/s of copies, 100.0 GFLOP/s (f32), ridge at 10 operations",
        "by the device's timestamps", "arithmetic", "200.00 ms"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  r.byDevice = false;
  EXPECT_NE(tableText(r).find("the host's clock"), std::string::npos);
}

TEST(DeviceReport, Json) {
  auto parsed = llvm::json::parse(jsonText(sample(1e10, 1e8)));
  ASSERT_TRUE(static_cast<bool>(parsed));
  const llvm::json::Object& all = *parsed->getAsObject();
  const llvm::json::Object& einc = *(*all.getArray("contestants"))[0].getAsObject();
  EXPECT_EQ(einc.getString("bound_by"), "arithmetic");
  EXPECT_NEAR(einc.getNumber("of_peak").value_or(0), 0.5, 1e-9);
  EXPECT_NEAR(einc.getNumber("of_copy").value_or(0), 0.05, 1e-9);
  EXPECT_EQ(all.getArray("dispatches")->size(), 2u);
  const llvm::json::Object& device = *all.getObject("machine")->getObject("device");
  EXPECT_EQ(device.getString("name"), "a device");
  EXPECT_EQ(device.getBoolean("timestamps"), true);
}

}  // namespace
}  // namespace einc::bench
